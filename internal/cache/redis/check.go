package redis

import "context"

// Check returns an error while the server is away. It tells what the last call or probe saw, or else asks the server.
func (c *Cache) Check(ctx context.Context) error {
	if c.away.Load() {
		return errAway
	}
	call, cancel := context.WithTimeout(ctx, c.opt.DialTimeout)
	defer cancel()
	r := c.client.Do(call, c.client.B().Ping().Build())
	return c.judge(ctx, r)
}
