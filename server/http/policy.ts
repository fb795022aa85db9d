/** The largest request body of the REST interface, and the largest upload slice. */
export const bodyMaxBytes = 1024 * 1024

/** The largest body of a form or a batch of inputs in the portal. */
export const inputMaxBytes = 64 * 1024
