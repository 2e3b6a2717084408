package redis

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/lukasa-memory/lukasa/internal/cache"
)

// takeScript takes from buckets in one step that nobody can come between, and from none before it has seen all. A bucket is one
// number, as in the generic cell rate algorithm (GCRA): the moment, in microseconds, when it will be full again. Moments are cut
// to whole microseconds, so that a burst is never refused by a fraction of one, and the sums are done with the time from now until
// then: a moment since 1970 leaves a number of 53 bits no room for fractions. A bucket that would be full later than an empty
// one can be is of another limit, or of a clock that has been set back: it counts as empty from now.
//
// Arguments are the time (0: the server's), then rate a minute and burst of each key. The answer is the place, from 1, of the
// first empty bucket (0: none) and the microseconds until it has one.
const takeScript = `
local now = tonumber(ARGV[1])
if now == 0 then
  local t = redis.call('TIME')
  now = t[1] * 1000000 + t[2]
end
local function keep(key, ahead)
  ahead = math.floor(ahead)
  redis.call('SET', key, string.format('%.0f', now + ahead), 'PX', math.ceil(ahead / 1000))
end
local full = {}
for i, key in ipairs(KEYS) do
  local gap = math.max(1, 60000000 / tonumber(ARGV[2 * i]))
  local room = gap * tonumber(ARGV[2 * i + 1])
  local ahead = math.max(tonumber(redis.call('GET', key) or now) - now, 0)
  if ahead > room then
    ahead = room
    keep(key, ahead)
  end
  ahead = ahead + gap
  if ahead > room then
    return {i, math.ceil(ahead - room)}
  end
  full[i] = ahead
end
for i, key in ipairs(KEYS) do
  keep(key, full[i])
end
return {0, 0}
`

// Take implements [cache.Limiter].
func (c *Cache) Take(ctx context.Context, buckets ...cache.Bucket) (int, time.Duration, error) {
	if len(buckets) == 0 {
		return -1, 0, nil
	}
	now := "0"
	if c.opt.Now != nil {
		now = strconv.FormatInt(c.opt.Now().UnixMicro(), 10)
	}
	keys, args := make([]string, len(buckets)), []string{now}
	for i, b := range buckets {
		if b.PerMinute < 1 || b.Burst < 1 {
			return -1, 0, fmt.Errorf("bucket %d: %d a minute and %d at once are not a limit", i, b.PerMinute, b.Burst)
		}
		keys[i] = c.opt.Prefix + "limit:" + b.Key
		args = append(args, strconv.Itoa(b.PerMinute), strconv.Itoa(b.Burst))
	}
	r, err := c.do(ctx, func(b rueidis.Builder) rueidis.Completed {
		return b.Eval().Script(takeScript).Numkeys(int64(len(keys))).Key(keys...).Arg(args...).Build()
	})
	if err != nil {
		return -1, 0, fmt.Errorf("take from the shared limit: %w", err)
	}
	answer, err := r.AsIntSlice()
	if err != nil || len(answer) != 2 || answer[0] < 0 || answer[0] > int64(len(buckets)) {
		return -1, 0, fmt.Errorf("take from the shared limit: the server answered %v: %w", answer, err)
	}
	return int(answer[0]) - 1, time.Duration(answer[1]) * time.Microsecond, nil
}
