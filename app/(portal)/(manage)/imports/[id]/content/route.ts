import { sliceRoute } from '#app/answer-slice.ts'

/** Receives a slice of an imported file. */
export const POST = sliceRoute(({ imports }, slice) => imports.append({ ...slice, id: Number(slice.id) }))
