package script

// probeNetwork is never asked: there is no fence here.
func probeNetwork() error { return nil }
