package app

import (
	"fmt"
	alias "net/http"
	_ "embed"
)

const Limit, lower = 1, 2

var Shown = 1

type Server struct{ A int }
type hidden struct{}

func New() *Server { return nil }
func (s *Server) Serve() {
	if a {
		for {
			select {
			case <-c:
			}
		}
	} else if b {
	}
}
func (h hidden) Method() {}
func (s *Server) private() {}

func routes() {
	http.HandleFunc("/plain", f)
	mux.HandleFunc("GET /items/{id}", f)
	mux.Handle("/static/", h)
	r.GET("/gin", h)
	r.Get("/chi", h.List)
	http.Get("https://example.com/x")
	client.Get("/x")
	cache.Get("/x", f)
	rdb.Get(ctx, "/x")
}

var cmd = &cobra.Command{Use: "serve [dir]", Short: "Use: x"}
var other = Config{Use: "nothing"}

func risky() {
	exec.Command("secret")
	p := unsafe.Pointer(&x)
	c := &tls.Config{InsecureSkipVerify: true}
	d := &tls.Config{InsecureSkipVerify: false}
	q := fmt.Sprintf("SELECT * FROM t WHERE a = %s", x)
	e := fmt.Sprintf("SELECT 1")
	w := "UPDATE t SET a = " + x
	md5.New()
	// eval("x") unsafe.Pointer(x)
}
