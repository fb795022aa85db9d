import type { IncomingHttpHeaders } from 'node:http'
import type { HintFormat } from './crm-source.ts'
import { hubspotHints } from './hubspot/webhook-signature.ts'

const formats: readonly HintFormat[] = [hubspotHints]

/** Returns the format that a request may have; undefined if no CRM sends such headers, or sent them long ago. */
export const hintFormatOf = (headers: IncomingHttpHeaders, nowMs: number): HintFormat | undefined =>
  formats.find(({ isRecent }) => isRecent(headers, nowMs))
