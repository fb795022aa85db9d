/** Returns the encryption context of a source's secret, so that it decrypts only for that source. */
export const ownerOfSecret = (sourceId: number) => `source ${sourceId}`

/** Returns the encryption context of the CRM's webhook signing secret. */
export const ownerOfSigningSecret = (sourceId: number) => `webhooks of source ${sourceId}`
