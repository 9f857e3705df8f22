package deliver

import "time"

// schedule is after how long a message is tried again, from the Standard Webhooks specification ("Deliverability and
// reliability"): at once, and then after these. Altogether a little more than three days.
var schedule = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// jitter is by how much of itself a pause may be longer, so that what failed together does not come back together.
const jitter = 0.2

// pause returns how long to wait after a number of failed attempts, and whether there is another one at all. random is
// in [0, 1).
func pause(attempts int, random float64) (time.Duration, bool) {
	if attempts > len(schedule) {
		return 0, false
	}
	d := schedule[max(attempts, 1)-1]
	return d + time.Duration(float64(d)*jitter*random), true
}
