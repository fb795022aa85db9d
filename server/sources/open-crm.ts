import type { CrmSource } from './crm-source.ts'
import { type Pace, HubspotFetch } from './hubspot/hubspot-fetch.ts'
import { HubspotSource } from './hubspot/hubspot-source.ts'
import type { SourceKind } from './source-kind.ts'

/** What opening a source needs of the process. */
export interface CrmMeans {
  /** Where HubSpot is: by the environment alone, so that nobody in the portal can send a token elsewhere. */
  hubspotUrl: string
  signal: AbortSignal
  pace?: Pace
  /** How often a request is sent that fails for the moment; the usual number of times if it is not given. */
  attempts?: number
}

/** Opens the system that a source reads from; `secret` is its token. */
export function openCrm(
  { kind }: { kind: SourceKind },
  secret: string,
  { hubspotUrl, signal, pace, attempts }: CrmMeans,
): CrmSource {
  if (kind === 'sql') throw new Error('not yet')
  return new HubspotSource(new HubspotFetch(hubspotUrl, secret, signal, pace, attempts))
}
