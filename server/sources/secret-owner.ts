/** Whose a source's secrets are: encrypted so that they decrypt for no other. */
export const ownerOfSecret = (sourceId: number) => `source ${sourceId}`
