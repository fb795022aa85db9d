/** Maximum size of a request body in the REST API, and of an upload slice. */
export const bodyMaxBytes = 1024 * 1024

/** Maximum size of a form, or of the input of a batch, in the portal. */
export const inputMaxBytes = 64 * 1024

/** Maximum number of concurrent requests per connection. Browsers and usual clients send one at a time. */
export const pipelinedMax = 16

/**
 * Maximum number of connections from a public IP address. An office with many browsers can share one address,
 * and each browser opens six connections.
 */
export const connectionsPerAddress = 1000
