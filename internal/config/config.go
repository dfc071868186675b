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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Prefix stands before the name of every variable.
const Prefix = "COUNTERSIGN_"

// MinSecret is the least length of SECRET in bytes.
const MinSecret = 32

// SigningKeyName is the file in DATA_DIR that holds the signing key when none is
// configured.
const SigningKeyName = "signing-key.pem"

// Values of Config.OIDCNewcomers.
const (
	NewcomersView = "viewer" // they read every server
	NewcomersWait = "none"   // they see nothing until somebody gives them a role
)

// Config is the whole configuration of a server.
type Config struct {
	Addr        string // host:port to listen on
	BaseURL     string // how browsers reach it; no trailing slash
	DatabaseURL string // sqlite:PATH or postgres://…
	DataDir     string // holds the embedded database
	Secret      string // any text of MinSecret bytes or more

	SigningKey     string // PKCS#8 in PEM; "" when it is in a file
	SigningKeyFile string // file that holds it; "" when SigningKey does
	OwnSigningKey  bool   // nobody configured a key: the file is ours to make

	// RequireSecondFactor asks whoever decides for a second factor, on every server.
	RequireSecondFactor bool

	// An OpenID Connect provider that people may sign in with; all "" is none.
	OIDCIssuer, OIDCClientID, OIDCClientSecret string
	// OIDCNewcomers is what somebody is who signs in there and whom nobody invited.
	OIDCNewcomers string

	// LiveReaders is how many endpoints this instance reads at once; 0 reads none.
	LiveReaders int
	// LiveHosts and LiveNetworks may be read though their addresses are private, and over
	// http; by default none.
	LiveHosts    []string
	LiveNetworks []netip.Prefix

	// TrustedProxies may say for whom they ask (X-Forwarded-For); by default none.
	TrustedProxies []netip.Prefix

	MetricsAddr  string        // host:port that answers /metrics to anybody; "" is none
	MetricsToken string        // lets a scraper ask for /metrics at Addr; "" is nobody
	StopGrace    time.Duration // how long running requests may take when the program ends

	// What is read of a listing; over one of them it is refused.
	ListingBytes  int // unpacked
	ListingDepth  int // of nesting
	ListingValues int
	NumberDigits  int
	ListingPages  int // of one that came in pages

	// What one server, or one person, may take.
	PushesPerMinute int
	PushesPerDay    int
	OpenReleases    int
	ServerBytes     int64 // of listings, as they are kept
	Samples         int   // of unverified deliveries that are kept a day
	CommentBytes    int
	CommentsPerHour int
	EventStreams    int

	// How long what nobody needs for ever is kept.
	KeepDeliveries, KeepNotices, KeepRefs, KeepReports time.Duration
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
	c.DatabaseURL = r.withPassword(c.DatabaseURL)
	r.signingKey(&c)
	c.OIDCIssuer = r.text("OIDC_ISSUER", "")
	c.OIDCClientID = r.text("OIDC_CLIENT_ID", "")
	c.OIDCClientSecret = r.secret("OIDC_CLIENT_SECRET")
	c.OIDCNewcomers = r.text("OIDC_NEWCOMERS", NewcomersView)
	c.TrustedProxies = r.prefixes("TRUSTED_PROXIES")
	c.LiveReaders = r.within("LIVE_READERS", 2, 0, 32)
	c.LiveHosts, c.LiveNetworks = r.hosts("LIVE_HOSTS")
	c.MetricsAddr = r.text("METRICS_ADDR", "")
	c.MetricsToken = r.secret("METRICS_TOKEN")
	c.StopGrace = r.duration("STOP_GRACE", 20*time.Second, time.Second, 10*time.Minute)
	c.ListingBytes = r.within("LISTING_MIB", 8, 1, 256) << 20
	c.ListingDepth = r.within("LISTING_DEPTH", 64, 8, 1000)
	c.ListingValues = r.within("LISTING_VALUES", 500_000, 1000, 20_000_000)
	c.NumberDigits = r.within("NUMBER_DIGITS", 1000, 20, 10_000)
	c.ListingPages = r.within("LISTING_PAGES", 100, 1, 10_000)
	c.PushesPerMinute = r.number("PUSHES_PER_MINUTE", 30)
	c.PushesPerDay = r.number("PUSHES_PER_DAY", 500)
	c.OpenReleases = r.number("OPEN_RELEASES", 20)
	c.ServerBytes = int64(r.number("SERVER_MIB", 1024)) << 20
	c.Samples = r.number("UNVERIFIED_SAMPLES", 100)
	c.CommentBytes = r.within("COMMENT_KIB", 64, 1, 512) << 10 // a form holds 1 MiB
	c.CommentsPerHour = r.number("COMMENTS_PER_HOUR", 100)
	c.EventStreams = r.number("EVENT_STREAMS", 5)
	c.KeepDeliveries = r.days("KEEP_DELIVERIES_DAYS", 400)
	c.KeepNotices = r.days("KEEP_NOTICES_DAYS", 180)
	c.KeepRefs = r.days("KEEP_REFS_DAYS", 180)
	c.KeepReports = r.days("KEEP_REPORTS_DAYS", 180)
	c.RequireSecondFactor = r.flag("REQUIRE_SECOND_FACTOR")
	r.check(c)
	if c.BaseURL == "" {
		c.BaseURL = "http://" + browsable(c.Addr)
	}
	return c, errors.Join(r.faults...)
}

// FromEnvironment reads the configuration of this process.
func FromEnvironment() (Config, error) { return FromEnvironmentWith(nil) }

// FromEnvironmentWith is FromEnvironment with settings of the command line, by
// their names without the prefix; an empty one does not count.
func FromEnvironmentWith(flags map[string]string) (Config, error) {
	c, err := Load(func(name string) (string, bool) {
		if v := flags[strings.TrimPrefix(name, Prefix)]; v != "" && strings.HasPrefix(name, Prefix) {
			return v, true
		}
		return os.LookupEnv(name)
	})
	for _, s := range Strangers(os.Environ()) {
		if s.Near != "" {
			err = errors.Join(err, s)
		}
	}
	return c, err
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

// Database is the address of the database as it may be shown: without its password.
func (c Config) Database() string { return redactURL(c.DatabaseURL) }

// Setting is one setting as it is in force. The value of a secret is not in it.
type Setting struct {
	Name   string `json:"name"` // with its prefix
	Value  string `json:"value"`
	Secret bool   `json:"secret,omitempty"` // may stand in a file, named by NAME_FILE
}

// Settings lists every setting there is, secrets hidden.
func (c Config) Settings() []Setting {
	return []Setting{
		plain("ADDR", c.Addr),
		plain("BASE_URL", c.BaseURL),
		plain("COMMENT_KIB", strconv.Itoa(c.CommentBytes>>10)),
		plain("COMMENTS_PER_HOUR", strconv.Itoa(c.CommentsPerHour)),
		{Prefix + "DATABASE_PASSWORD", "(part of DATABASE_URL)", true},
		{Prefix + "DATABASE_URL", c.Database(), true},
		plain("DATA_DIR", c.DataDir),
		plain("EVENT_STREAMS", strconv.Itoa(c.EventStreams)),
		plain("KEEP_DELIVERIES_DAYS", inDays(c.KeepDeliveries)),
		plain("KEEP_NOTICES_DAYS", inDays(c.KeepNotices)),
		plain("KEEP_REFS_DAYS", inDays(c.KeepRefs)),
		plain("KEEP_REPORTS_DAYS", inDays(c.KeepReports)),
		plain("LISTING_DEPTH", strconv.Itoa(c.ListingDepth)),
		plain("LISTING_MIB", strconv.Itoa(c.ListingBytes>>20)),
		plain("LISTING_PAGES", strconv.Itoa(c.ListingPages)),
		plain("LISTING_VALUES", strconv.Itoa(c.ListingValues)),
		plain("LIVE_HOSTS", strings.Join(append(slices.Clone(c.LiveHosts), prefixTexts(c.LiveNetworks)...), ",")),
		plain("LIVE_READERS", strconv.Itoa(c.LiveReaders)),
		plain("METRICS_ADDR", c.MetricsAddr),
		hidden("METRICS_TOKEN", c.MetricsToken),
		plain("NUMBER_DIGITS", strconv.Itoa(c.NumberDigits)),
		plain("OIDC_CLIENT_ID", c.OIDCClientID),
		hidden("OIDC_CLIENT_SECRET", c.OIDCClientSecret),
		plain("OIDC_ISSUER", c.OIDCIssuer),
		plain("OIDC_NEWCOMERS", c.OIDCNewcomers),
		plain("OPEN_RELEASES", strconv.Itoa(c.OpenReleases)),
		plain("PUSHES_PER_DAY", strconv.Itoa(c.PushesPerDay)),
		plain("PUSHES_PER_MINUTE", strconv.Itoa(c.PushesPerMinute)),
		plain("REQUIRE_SECOND_FACTOR", strconv.FormatBool(c.RequireSecondFactor)),
		hidden("SECRET", c.Secret),
		c.signingKeySetting(),
		plain("SERVER_MIB", strconv.FormatInt(c.ServerBytes>>20, 10)),
		plain("STOP_GRACE", c.StopGrace.String()),
		plain("TRUSTED_PROXIES", strings.Join(prefixTexts(c.TrustedProxies), ",")),
		plain("UNVERIFIED_SAMPLES", strconv.Itoa(c.Samples)),
	}
}

func prefixTexts(list []netip.Prefix) []string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.String()
	}
	return texts
}

func plain(name, value string) Setting { return Setting{Name: Prefix + name, Value: value} }

// signingKeySetting names the file, since that is what an operator looks for.
func (c Config) signingKeySetting() Setting {
	if c.SigningKey == "" {
		return Setting{Prefix + "SIGNING_KEY", "(in " + c.SigningKeyFile + ")", true}
	}
	return hidden("SIGNING_KEY", c.SigningKey)
}

func hidden(name, value string) Setting {
	if value == "" {
		return Setting{Prefix + name, "(not set)", true}
	}
	return Setting{Prefix + name, "(set, hidden)", true}
}

// Redacted lists every setting as NAME=value, secrets hidden.
func (c Config) Redacted() []string {
	var lines []string
	for _, s := range c.Settings() {
		lines = append(lines, s.Name+"="+s.Value)
	}
	return lines
}

// Warnings says what is allowed but unwise.
func (c Config) Warnings() []string {
	var warnings []string
	u, err := url.Parse(c.BaseURL)
	if err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
		warnings = append(warnings, Prefix+"BASE_URL is http:// on another machine: passwords and sessions travel in clear. Put TLS before it and name the https:// address.")
	}
	if c.MetricsAddr != "" && !loopback(hostOf(c.MetricsAddr)) {
		warnings = append(warnings, Prefix+"METRICS_ADDR is not a loopback address: whoever reaches it reads the figures.")
	}
	return warnings
}

func hostOf(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	return host
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
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

// withPassword puts DATABASE_PASSWORD into an address that has none, so that a
// password can stand in a file of its own.
func (r *reader) withPassword(address string) string {
	password := r.secret("DATABASE_PASSWORD")
	if password == "" {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") || u.User == nil {
		r.fault("DATABASE_PASSWORD", "%sDATABASE_URL takes no password: want postgres://USER@HOST/NAME", Prefix)
		return address
	}
	if _, has := u.User.Password(); has || u.Query().Has("password") {
		r.fault("DATABASE_PASSWORD", "%sDATABASE_URL has a password already: leave it out there", Prefix)
		return address
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

// number reads a limit. Zero is none of them: what is not limited can be filled
// by anybody.
func (r *reader) number(name string, otherwise int) int {
	return r.within(name, otherwise, 1, maxNumber)
}

// within reads a limit that has a least and a most.
func (r *reader) within(name string, otherwise, least, most int) int {
	text := r.text(name, "")
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		r.fault(name, "%q is no number from %d to %d, such as %d", text, least, most, otherwise)
		return otherwise
	}
	return n
}

const day = 24 * time.Hour

// days reads for how long something is kept. A week is the least: pushes are
// counted by the day, and replays looked for.
func (r *reader) days(name string, otherwise int) time.Duration {
	n := r.number(name, otherwise)
	if n < 7 || n > 36500 {
		r.fault(name, "%d is no number of days from 7 to 36500, such as %d", n, otherwise)
		n = otherwise
	}
	return time.Duration(n) * day
}

func inDays(d time.Duration) string { return strconv.Itoa(int(d / day)) }

// maxNumber bounds every limit.
const maxNumber = 1_000_000

// duration reads a time such as 20s, 5m or 36h.
func (r *reader) duration(name string, otherwise, least, most time.Duration) time.Duration {
	text := r.text(name, "")
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		r.fault(name, "%q is no time from %s to %s, such as %s", text, least, most, otherwise)
		return otherwise
	}
	return d
}

// signingKey is read like a secret, but from its file only when something is
// signed, so that a rotation needs no restart.
func (r *reader) signingKey(c *Config) {
	c.SigningKey = r.text("SIGNING_KEY", "")
	c.SigningKeyFile = r.text("SIGNING_KEY_FILE", "")
	switch {
	case c.SigningKey != "" && c.SigningKeyFile != "":
		r.fault("SIGNING_KEY", "set either %[1]sSIGNING_KEY or %[1]sSIGNING_KEY_FILE, not both", Prefix)
	case c.SigningKey == "" && c.SigningKeyFile == "":
		c.SigningKeyFile, c.OwnSigningKey = filepath.Join(c.DataDir, SigningKeyName), true
	}
}

// flag reads true or false; unset is false.
func (r *reader) flag(name string) bool {
	text := r.text(name, "false")
	on, err := strconv.ParseBool(text)
	if err != nil {
		r.fault(name, "%q is neither true nor false", text)
	}
	return on
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

// hosts reads a comma-separated list of names of hosts, addresses and networks.
func (r *reader) hosts(name string) (names []string, networks []netip.Prefix) {
	for _, s := range strings.Split(r.text(name, ""), ",") {
		s = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(s), "."))
		if s == "" {
			continue
		}
		if p, err := netip.ParsePrefix(s); err == nil {
			networks = append(networks, p)
		} else if a, err := netip.ParseAddr(s); err == nil {
			networks = append(networks, netip.PrefixFrom(a, a.BitLen()))
		} else if hostName.MatchString(s) {
			names = append(names, s)
		} else {
			r.fault(name, "%q is no host, address or network, such as mcp.internal or 10.0.0.0/8", s)
		}
	}
	return names, networks
}

// hostName is the name of a host, in small letters, without a port.
var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*$`)

func (r *reader) check(c Config) {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		r.fault("ADDR", "%q is no host:port, such as 127.0.0.1:8080", c.Addr)
	}
	if c.Secret != "" && len(c.Secret) < MinSecret {
		r.fault("SECRET", "has %d bytes, needs %d or more (for example the output of: openssl rand -base64 32)", len(c.Secret), MinSecret)
	}
	if c.BaseURL != "" {
		u, err := url.Parse(c.BaseURL)
		switch {
		case err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "":
			r.fault("BASE_URL", "%q is no address such as https://countersign.example.com", c.BaseURL)
		case u.Path != "":
			r.fault("BASE_URL", "%q has a path, which is not supported: give the server a host of its own, such as https://countersign.example.com", c.BaseURL)
		}
	}
	if _, _, err := net.SplitHostPort(c.MetricsAddr); c.MetricsAddr != "" && err != nil {
		r.fault("METRICS_ADDR", "%q is no host:port, such as 127.0.0.1:9090", c.MetricsAddr)
	}
	if c.MetricsAddr != "" && c.MetricsAddr == c.Addr {
		r.fault("METRICS_ADDR", "is the same as %sADDR: give it an address of its own, such as 127.0.0.1:9090", Prefix)
	}
	if n := len(c.MetricsToken); n > 0 && n < MinSecret {
		r.fault("METRICS_TOKEN", "has %d bytes, needs %d or more (for example the output of: openssl rand -base64 32)", n, MinSecret)
	}
	r.checkOIDC(c)
	if !knownDatabase(c.DatabaseURL) {
		r.fault("DATABASE_URL", "want sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, got %q", redactURL(c.DatabaseURL))
	}
}

// checkOIDC wants all of a provider or nothing. Its answers say who people are, so
// they travel under TLS, but for a provider on this machine.
func (r *reader) checkOIDC(c Config) {
	if c.OIDCNewcomers != NewcomersView && c.OIDCNewcomers != NewcomersWait {
		r.fault("OIDC_NEWCOMERS", "want %s or %s, got %q", NewcomersView, NewcomersWait, c.OIDCNewcomers)
	}
	if c.OIDCIssuer == "" && c.OIDCClientID == "" && c.OIDCClientSecret == "" {
		return
	}
	for name, value := range map[string]string{"OIDC_ISSUER": c.OIDCIssuer, "OIDC_CLIENT_ID": c.OIDCClientID, "OIDC_CLIENT_SECRET": c.OIDCClientSecret} {
		if value == "" {
			r.fault(name, "is missing: sign-in through a provider takes %[1]sOIDC_ISSUER, %[1]sOIDC_CLIENT_ID and %[1]sOIDC_CLIENT_SECRET", Prefix)
		}
	}
	if c.OIDCIssuer == "" {
		return
	}
	u, err := url.Parse(c.OIDCIssuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https":
		r.fault("OIDC_ISSUER", "%q is no address such as https://id.example.com/realms/team", c.OIDCIssuer)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		r.fault("OIDC_ISSUER", "%q is not under https://, so anybody on the way could say who people are", c.OIDCIssuer)
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
