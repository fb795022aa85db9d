import { sharedServices } from '#server/runtime/services.ts'
import { llmsText } from '../docs/llms-text.ts'

/** Returns the index of the documentation for language models (https://llmstxt.org). */
const answer = () =>
  new Response(llmsText(sharedServices().config.publicUrl), {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' },
  })

// It depends on the configuration of this process.
export const dynamic = 'force-dynamic'

export { answer as GET, answer as HEAD }
