import { utc } from '../values/zone.ts'
import type { CrmSource, SourceKind } from './crm-source.ts'
import { type Pace, HubspotFetch } from './hubspot-fetch.ts'
import { HubspotSource } from './hubspot-source.ts'
import type { SourceSettings } from './mapping.ts'
import { SqlSource } from './sql-source.ts'

/** Dependencies for opening a source. */
export interface CrmDeps {
  /** HubSpot's base URL. Set only by the environment, so the portal cannot send a token elsewhere. */
  hubspotUrl: string
  signal: AbortSignal
  pace?: Pace
  /** Maximum attempts for a request that fails temporarily. Optional. */
  attempts?: number
}

/** Opens a source. `secret` is the token, or the URL of the database. */
export function openCrm(
  { kind, settings }: { kind: SourceKind; settings: string },
  secret: string,
  { hubspotUrl, signal, pace, attempts }: CrmDeps,
): CrmSource {
  switch (kind) {
    case 'hubspot':
      return new HubspotSource(new HubspotFetch(hubspotUrl, secret, signal, pace, attempts))
    case 'sql': {
      const { query, zone } = JSON.parse(settings) as Partial<SourceSettings>
      return new SqlSource(secret, { query: query ?? '', zone: zone ?? utc }, signal)
    }
  }
}
