// Package pubsub carries short messages between the nodes of one installation; losing one changes nothing but how soon
// something is noticed.
//
// [Relay] is the port. Its drivers are the servers that an installation has anyway: Redis (internal/cache/redis), PostgreSQL.
// The suite in package relaytest is what each must pass.
package pubsub

import "context"

// MaxMessage is the longest message in bytes: what every server can carry.
const MaxMessage = 4096

// Relay carries messages, each at most once. All methods are safe for concurrent use.
type Relay interface {
	// Publish sends a message of 1 to [MaxMessage] bytes, of any values, to all that listen to the channel now, on any node and
	// on this one. It does not wait for them. A channel is named by 1 to 40 letters, digits and underscores. After an error
	// the message is lost.
	Publish(ctx context.Context, channel string, message []byte) error

	// Subscribe calls hear for each message on the channel, one after the other and in the order of each publisher, until ctx
	// ends or the relay is closed. It returns once it listens: what is published after that is heard. A server that
	// is away is no error: Subscribe then returns after a short time and goes on trying.
	//
	// hear(nil) says that messages may have been lost, because the server was away or hear did not keep up: whoever
	// must know looks for itself. A hear that never returns keeps its messages waiting, and nobody else's.
	Subscribe(ctx context.Context, channel string, hear func(message []byte)) error
}
