/** The encryption context of a source's secrets, so they only decrypt for that source. */
export const ownerOfSecret = (sourceId: number) => `source ${sourceId}`

/** The same for the CRM's webhook signing secret. */
export const ownerOfSigningSecret = (sourceId: number) => `webhooks of source ${sourceId}`
