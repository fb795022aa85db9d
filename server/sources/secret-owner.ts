/** The encryption context of a source's secrets, so that they decrypt for no other source. */
export const ownerOfSecret = (sourceId: number) => `source ${sourceId}`

/** The same for the secret that the CRM signs webhooks with. */
export const ownerOfSigningSecret = (sourceId: number) => `webhooks of source ${sourceId}`
