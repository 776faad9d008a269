package client

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimer checks that a request ends after its time, that progress starts the time again,
// and that a login stops it.
func TestTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		ctx, cancel := withTimer(t.Context(), time.Minute)
		defer cancel()
		time.Sleep(50 * time.Second)
		extend(ctx)
		time.Sleep(50 * time.Second)
		resume := Unlimited(ctx)
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Fatal(context.Cause(ctx))
		}
		resume()
		<-ctx.Done()
		if took := time.Since(begun); took != time.Hour+160*time.Second || context.Cause(ctx).Error() != "timed out after 1m0s" {
			t.Errorf("ended after %s: %v", took, context.Cause(ctx))
		}
	})
}
