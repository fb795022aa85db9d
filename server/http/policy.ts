/** Maximum size of a request body in the REST interface, and of an upload slice. */
export const bodyMaxBytes = 1024 * 1024

/** Maximum size of a form or a batch of inputs in the portal. */
export const inputMaxBytes = 64 * 1024

/** Maximum concurrent requests on one connection; browsers and clients send one at a time. */
export const pipelinedMax = 16

/** Maximum connections from one public IP address: an office has six for each browser. */
export const connectionsPerAddress = 1000
