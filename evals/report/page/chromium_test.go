package page_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"chatterbox/evals/report/page"
)

// openMS is how long a page of openTrials trials may take until it can be used.
const openMS, openTrials = 2000, 20_000

func pageFile(t *testing.T, trials int, say texts) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(written(t, writeLog(t, trials, say))), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestChromiumOpens20000Trials measures from the start of the navigation to the end of loading and to what is first
// seen. The best of three counts: what else the machine does is not the page's.
func TestChromiumOpens20000Trials(t *testing.T) {
	b := newBrowser(t)
	b.size(1200, 900, "light")
	say := plainTexts
	say.noise = 600 // so that the page is as large as a page may be
	file := pageFile(t, openTrials, say)
	best := 1 << 30
	for range 3 {
		b.open(file, "")
		b.wait("performance.getEntriesByName('first-contentful-paint').length > 0 && performance.timing.loadEventEnd > 0")
		took, err := strconv.ParseFloat(b.eval(`String(Math.max(performance.getEntriesByType('navigation')[0].loadEventEnd, performance.getEntriesByName('first-contentful-paint')[0].startTime))`), 64)
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, int(took))
		b.want("document.getElementById('count').textContent.startsWith('20000 of 20000 trials')", "true")
	}
	filtered := b.eval(`(() => { const start = performance.now(); const q = document.getElementById('q'); q.value = 'sky wrong'; q.dispatchEvent(new Event('input', {bubbles: true})); return String(Math.round(performance.now() - start)); })()`)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d trials open in %d ms, a search takes %s ms, the page has %.1f MB", openTrials, best, filtered, float64(info.Size())/1e6)
	if info.Size() < page.BytesMax*8/10 || info.Size() > page.BytesMax || openTrials != page.RowsMax {
		t.Errorf("the page has only %d bytes", info.Size())
	}
	if best > openMS {
		t.Errorf("the page opened in %d ms", best)
	}
	b.calm()
}

// TestChromiumFollowsKeysAndAddresses uses the page without a mouse.
func TestChromiumFollowsKeysAndAddresses(t *testing.T) {
	b := newBrowser(t)
	b.size(1200, 900, "light")
	file := pageFile(t, 400, plainTexts)
	b.open(file, "")
	b.picture("light")
	b.want("document.querySelectorAll('svg.plot').length", "1")
	b.want("document.querySelectorAll('#trials tbody tr').length", "100")

	b.press("/")
	b.want("document.activeElement.id", "q")
	b.press("n", "o", "_", "c", "a", "l", "l")
	b.wait("location.hash === '#q=no_call'")
	b.want("[...document.querySelectorAll('#trials tbody tr')].every(row => row.textContent.includes('no_call'))", "true")
	b.press("Tab") // out of the search field, where letters are letters
	b.eval("document.activeElement.blur()")
	b.press("j", "j", "k", "Enter")
	b.wait("document.getElementById('trial').open && document.querySelector('.failed')")
	b.want("document.querySelector('.failed .here').textContent.startsWith('✗ Here it failed')", "true")
	b.want("location.hash.startsWith('#trial=')", "true")
	b.picture("trial")
	first := b.eval("location.hash")
	b.press("n")
	b.wait("location.hash !== " + strconv.Quote(first))
	b.press("p")
	b.wait("location.hash === " + strconv.Quote(first))
	b.press("Escape")
	b.wait("!document.getElementById('trial').open && location.hash === '#q=no_call' && document.activeElement.tagName === 'A'")

	b.open(file, first) // what was shown can be passed on
	b.wait("document.querySelector('.failed')")
	b.open(file, "#class=wrong_tool&subject=qwen3%3A8b%2Floop")
	b.want("document.getElementById('class').value + document.getElementById('subject').value", "wrong_toolqwen3:8b/loop")
	b.picture("list")
	b.want("document.querySelectorAll('#trials tbody tr').length > 0 && [...document.querySelectorAll('#trials tbody tr')].every(row => row.textContent.includes('wrong_tool') && row.textContent.includes('/loop'))", "true")
	b.open(file, "#trial=nobody%7Cnothing%7C1")
	b.want("document.getElementById('count').textContent", "There is no trial nobody|nothing|1 on this page.")
	b.calm()
}

// TestChromiumShowsHostileTexts opens trials whose every text tries to be more than text.
func TestChromiumShowsHostileTexts(t *testing.T) {
	b := newBrowser(t)
	b.size(1000, 900, "dark")
	b.open(pageFile(t, 400, hostileTexts), "")
	b.picture("hostile")
	b.eval("document.querySelector('#trials a').click()")
	b.wait("document.querySelector('.failed')")
	b.picture("hostile-trial")
	b.press("n", "n", "Escape")
	b.want("document.title", "Evaluation report")
	b.want("document.querySelectorAll('iframe, img, b, textarea, main script, dialog script, a[href^=javascript]').length", "0")
	b.calm()
}

// TestChromiumIsDarkAndNarrow looks at the page as phones show it.
func TestChromiumIsDarkAndNarrow(t *testing.T) {
	b := newBrowser(t)
	file := pageFile(t, 400, plainTexts)
	b.size(360, 740, "light")
	b.open(file, "#list")
	light := b.eval("getComputedStyle(document.body).backgroundColor")
	b.picture("phone-list")
	b.want("document.documentElement.scrollWidth", "360")
	b.size(360, 740, "dark")
	if dark := b.eval("getComputedStyle(document.body).backgroundColor"); dark == light {
		t.Errorf("the page is %s, light and dark", dark)
	}
	b.open(file, "")
	b.picture("phone-dark")
	b.open(pageFile(t, 400, hostileTexts), "")
	b.want("document.documentElement.scrollWidth", "360")
	b.eval("document.querySelector('#trials a').click()")
	b.wait("document.querySelector('.failed')")
	b.picture("phone-trial")
	b.want("document.querySelector('dialog').scrollWidth <= 360", "true")
	b.calm()
}
