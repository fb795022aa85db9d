import { answerDownload } from '#app/csv-answer.ts'
import { procedures, streamProcedures } from '#app/trpc-server.ts'

/** Returns the rejected rows of an import as a CSV file. */
function answer(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return answerDownload(request, async () => {
    const { imports } = await procedures()
    const id = Number((await params).id)
    const { rejectedName } = await imports.one({ id })
    return { name: rejectedName, write: await (await streamProcedures()).imports.rejected({ id }) }
  })
}

export { answer as GET, answer as HEAD }
