import { sharedServices } from '#server/runtime/services.ts'
import { llmsText } from '../docs/llms-text.ts'

/** Returns an index of the documentation for language models (https://llmstxt.org). */
const answer = () =>
  new Response(llmsText(sharedServices().config.publicUrl), {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' },
  })

// The response contains the public URL, which is configured at run time.
export const dynamic = 'force-dynamic'

export { answer as GET, answer as HEAD }
