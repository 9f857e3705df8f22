package deliver

import "time"

// The circuit breaker: after so many failures in a row a destination is left in peace for a while, during which its messages
// wait and use up none of their attempts. Then one message goes out: if it fails, too, the while doubles.
const (
	breakerFailures = 5
	breakerFirst    = time.Minute
	breakerLongest  = 30 * time.Minute
)

// open returns how long a destination is left in peace after so many failures in a row; zero is not at all.
func open(failures int) time.Duration {
	if failures < breakerFailures {
		return 0
	}
	d := breakerFirst
	for range failures - breakerFailures {
		if d *= 2; d >= breakerLongest {
			return breakerLongest
		}
	}
	return d
}
