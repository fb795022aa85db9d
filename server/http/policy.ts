/** The largest request body of the REST interface, and the largest upload slice. */
export const bodyMaxBytes = 1024 * 1024

/** The largest body of a form or a batch of inputs in the portal. */
export const inputMaxBytes = 64 * 1024

/** The most requests of one connection that wait for their answers; browsers and clients send one at a time. */
export const pipelinedMax = 16

/** The most connections of one IP address on the public internet: an office has six for each browser. */
export const connectionsPerAddress = 1000
