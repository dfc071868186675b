// Package config reads Countersign's configuration from the environment.
//
// Every setting is a variable with the prefix COUNTERSIGN_. A secret may also
// stand in a file, named by the same variable with _FILE behind it. All that is
// wrong is reported at once, so that an operator mends it in one go.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Prefix stands before the name of every variable.
const Prefix = "COUNTERSIGN_"

// MinSecret is the least length of SECRET in bytes.
const MinSecret = 32

// Config is the whole configuration of a server.
type Config struct {
	Addr        string // host:port to listen on
	BaseURL     string // how browsers reach it; no trailing slash
	DatabaseURL string // sqlite:PATH or postgres://…
	DataDir     string // holds the embedded database
	Secret      string // any text of MinSecret bytes or more

	// TrustedProxies may say for whom they ask (X-Forwarded-For); by default none.
	TrustedProxies []netip.Prefix
}

// Lookup finds an environment variable, as os.LookupEnv does.
type Lookup func(name string) (string, bool)

// Load reads the configuration. Its error joins every fault. A missing Secret is
// none: only what needs one asks for it, see [Config.NeedSecret].
func Load(lookup Lookup) (Config, error) {
	r := reader{lookup: lookup}
	c := Config{
		Addr:    r.text("ADDR", "127.0.0.1:8080"),
		DataDir: r.text("DATA_DIR", "data"),
		Secret:  r.secret("SECRET"),
	}
	c.BaseURL = strings.TrimRight(r.text("BASE_URL", ""), "/")
	c.DatabaseURL = r.secret("DATABASE_URL")
	if c.DatabaseURL == "" {
		// The unprefixed name is what hosting platforms set.
		c.DatabaseURL, _ = lookup("DATABASE_URL")
	}
	if c.DatabaseURL == "" {
		c.DatabaseURL = "sqlite:" + filepath.Join(c.DataDir, "countersign.db")
	}
	c.TrustedProxies = r.prefixes("TRUSTED_PROXIES")
	r.check(c)
	if c.BaseURL == "" {
		c.BaseURL = "http://" + browsable(c.Addr)
	}
	return c, errors.Join(r.faults...)
}

// FromEnvironment reads the configuration of this process.
func FromEnvironment() (Config, error) { return Load(os.LookupEnv) }

// FromEnvironmentWith is FromEnvironment with settings of the command line, by
// their names without the prefix; an empty one does not count.
func FromEnvironmentWith(flags map[string]string) (Config, error) {
	return Load(func(name string) (string, bool) {
		if v := flags[strings.TrimPrefix(name, Prefix)]; v != "" && strings.HasPrefix(name, Prefix) {
			return v, true
		}
		return os.LookupEnv(name)
	})
}

// Local is where this machine reaches the server: a listening address such as
// 0.0.0.0:8080 is no address to ask.
func (c Config) Local() string { return browsable(c.Addr) }

// NeedSecret says what to do when no secret is set.
func (c Config) NeedSecret() error {
	if c.Secret == "" {
		return fmt.Errorf("%sSECRET is not set: set it, or %sSECRET_FILE, to any text of %d bytes or more (for example the output of: openssl rand -base64 32) and keep it, since it unseals what the database holds", Prefix, Prefix, MinSecret)
	}
	return nil
}

// Redacted lists every setting as NAME=value, secrets hidden.
func (c Config) Redacted() []string {
	var proxies []string
	for _, p := range c.TrustedProxies {
		proxies = append(proxies, p.String())
	}
	secret := "(not set)"
	if c.Secret != "" {
		secret = "(set, hidden)"
	}
	return []string{
		Prefix + "ADDR=" + c.Addr,
		Prefix + "BASE_URL=" + c.BaseURL,
		Prefix + "DATABASE_URL=" + redactURL(c.DatabaseURL),
		Prefix + "DATA_DIR=" + c.DataDir,
		Prefix + "SECRET=" + secret,
		Prefix + "TRUSTED_PROXIES=" + strings.Join(proxies, ","),
	}
}

// redactURL hides the password, and the whole of an address that can't be read.
func redactURL(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	u, err := url.Parse(s)
	if err != nil {
		return "(unreadable, hidden)"
	}
	q := u.Query()
	if q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}

// browsable turns a listening address into one that a browser can open.
func browsable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// reader collects faults while it reads.
type reader struct {
	lookup Lookup
	faults []error
}

func (r *reader) fault(name, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s%s: %s", Prefix, name, fmt.Sprintf(format, args...)))
}

func (r *reader) text(name, otherwise string) string {
	if v, ok := r.lookup(Prefix + name); ok && v != "" {
		return v
	}
	return otherwise
}

// secret reads a value or the file that holds it; both at once is a fault, since
// nobody could say which one counts.
func (r *reader) secret(name string) string {
	value := r.text(name, "")
	file := r.text(name+"_FILE", "")
	if file == "" {
		return value
	}
	if value != "" {
		r.fault(name, "set either %s%s or %s%s_FILE, not both", Prefix, name, Prefix, name)
		return value
	}
	b, err := os.ReadFile(file)
	if err != nil {
		r.fault(name+"_FILE", "can't read it: %v", err)
		return ""
	}
	return strings.TrimRight(string(b), "\r\n")
}

// prefixes reads a comma-separated list of addresses and networks.
func (r *reader) prefixes(name string) []netip.Prefix {
	var all []netip.Prefix
	for _, s := range strings.Split(r.text(name, ""), ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		p, err := netip.ParsePrefix(s)
		if a, errAddr := netip.ParseAddr(s); err != nil && errAddr == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			r.fault(name, "%q is no address or network, such as 127.0.0.1 or 10.0.0.0/8", s)
			continue
		}
		all = append(all, p)
	}
	return all
}

func (r *reader) check(c Config) {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		r.fault("ADDR", "%q is no host:port, such as 127.0.0.1:8080", c.Addr)
	}
	if c.Secret != "" && len(c.Secret) < MinSecret {
		r.fault("SECRET", "has %d bytes, needs %d or more", len(c.Secret), MinSecret)
	}
	if c.BaseURL != "" {
		u, err := url.Parse(c.BaseURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
			r.fault("BASE_URL", "%q is no address such as https://countersign.example.com", c.BaseURL)
		}
	}
	if !knownDatabase(c.DatabaseURL) {
		r.fault("DATABASE_URL", "want sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, got %q", redactURL(c.DatabaseURL))
	}
}

func knownDatabase(s string) bool {
	for _, p := range []string{"sqlite:", "postgres://", "postgresql://"} {
		if strings.HasPrefix(s, p) && len(s) > len(p) {
			return true
		}
	}
	return false
}
