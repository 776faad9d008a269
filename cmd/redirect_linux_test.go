package cmd

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// TestRedirectsOfAllClients checks every HTTP client of the program against a server that
// redirects. Nothing may reach another server: no header, no key, no body. On the same
// server only redirects that keep method and body are followed.
func TestRedirectsOfAllClients(t *testing.T) {
	t.Parallel()
	const key = "sk-redirect-0123456789"
	clients := map[string][]string{ // arguments, with the address of the server that redirects
		"model":           {"--base-url", "URL"},
		"model, streamed": {"--base-url", "URL", "--stream"},
		"model, recorded": {"--base-url", "URL", "--record", "record.jsonl"},
		"mcp":             {"--mcp", "far=URL?token=" + key, "--allow-tool", "far/*"},
		"mcp, header":     {"--mcp-config", "servers.json", "--allow-tool", "far/*"},
	}
	program := program(t)
	for name, args := range clients {
		for _, scheme := range []string{"http", "https"} {
			for _, where := range []string{"same", "another port", "another scheme"} {
				t.Run(name+"/"+scheme+"/"+where, func(t *testing.T) {
					t.Parallel()
					for _, status := range []int{301, 302, 303, 307, 308} {
						var stolen, followed atomic.Int32
						steal := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen.Add(1) })
						start := map[string]func(http.Handler) *httptest.Server{"http": httptest.NewServer, "https": httptest.NewTLSServer}
						otherScheme := scheme
						if where == "another scheme" {
							otherScheme = map[string]string{"http": "https", "https": "http"}[scheme]
						}
						other := start[otherScheme](steal)
						defer other.Close()
						var target string
						front := start[scheme](http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							if strings.HasPrefix(r.URL.Path, "/new") {
								followed.Add(1)
								w.WriteHeader(http.StatusNotFound)
								return
							}
							w.Header().Set("Location", target)
							w.WriteHeader(status)
						}))
						defer front.Close()
						target = front.URL + "/new"
						if where != "same" {
							target = strings.Replace(other.URL, "://", "://me:hidden@", 1) + "/new?secret=yes"
						}
						dir := t.TempDir()
						tls := httptest.NewTLSServer(steal) // its certificate is that of all test servers
						tls.Close()
						certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tls.Certificate().Raw})
						filetest.Write(t, dir, map[string]string{
							"certificate.pem": string(certificate),
							"servers.json":    `{"mcpServers":{"far":{"url":"` + front.URL + `/old","headers":{"Authorization":"Bearer ` + key + `"}}}}`,
						})
						var words []string
						for _, word := range args {
							words = append(words, strings.Replace(word, "URL", front.URL+"/old", 1))
						}
						good := openaitest.Start(openaitest.Text("done"))
						defer good.Close()
						c := exec.CommandContext(t.Context(), program, append([]string{"run", "--retries", "0", "--no-todo"}, append(words, "go")...)...)
						c.Dir = dir
						c.Env = []string{
							"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "OPENAI_BASE_URL=" + good.URL, "OPENAI_API_KEY=" + key,
							"SSL_CERT_FILE=" + filepath.Join(dir, "certificate.pem"),
						}
						out, _ := c.CombinedOutput()
						if stolen.Load() != 0 {
							t.Errorf("%d: another server got a request: %s", status, out)
						}
						if follow := where == "same" && status >= 307; follow != (followed.Load() > 0) {
							t.Errorf("%d: followed: %t, want %t: %s", status, followed.Load() > 0, follow, out)
						}
						u, err := url.Parse(target)
						if err != nil {
							t.Fatal(err)
						}
						shown := fmt.Sprintf("redirects to %s://%s/new (%d)", u.Scheme, u.Host, status)
						if where == "same" && status >= 307 {
							shown = "" // the error is that of the last server
						}
						if !strings.Contains(string(out), shown) || strings.Contains(string(out), "hidden") || strings.Contains(string(out), key) {
							t.Errorf("%d: want %q in: %s", status, shown, out)
						}
					}
				})
			}
		}
	}
}
