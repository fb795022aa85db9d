import { sliceRoute } from '#app/answer-slice.ts'

/** Receives a slice of a deal's file. */
export const POST = sliceRoute(({ files }, slice) => files.append(slice))
