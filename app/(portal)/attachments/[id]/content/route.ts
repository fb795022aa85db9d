import { sliceRoute } from '#app/answer-slice.ts'

/** Receives a slice of a file attached to a message. */
export const POST = sliceRoute(({ messages }, slice) => messages.appendFile(slice))
