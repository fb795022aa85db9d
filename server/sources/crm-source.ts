import type { Readable } from 'node:stream'

/** A record of the CRM, with property values as returned by the CRM. */
export interface CrmRecord {
  /** Id as formatted by the CRM. The id of a deal is an int64. */
  id: string
  modifiedMs: number
  values: Readonly<Record<string, string | null>>
  /** Reasons for missing values that exist in the CRM, by property. */
  unreadable?: ReadonlyMap<string, string>
  mergedIds?: readonly string[]
}

/** Range of modification times from `fromMs` to `toMs`, inclusive. */
export interface Window {
  fromMs: number
  toMs: number
}

export interface CrmPage {
  records: CrmRecord[]
  /** Number of remaining records, including this page, or null if unknown. */
  total: number | null
}

export interface CrmProperty {
  name: string
  label: string
  type: 'string' | 'number' | 'date' | 'datetime' | 'enumeration' | 'bool'
  isList: boolean
  labels: ReadonlyMap<string, string>
  /** True for a single checkbox, for which an empty value means "no". */
  isBox?: boolean
  isRichText?: boolean
  /** Kinds of records that the values refer to by id, most likely first. */
  refersTo?: readonly ('owner' | 'user' | 'team' | 'stage' | 'pipeline')[]
}

/** A person in the CRM, as shown in deals. */
export interface CrmPerson {
  id: string
  userId: number | null
  email: string | null
  firstName: string | null
  lastName: string | null
  teams: string | null
  crmTeamId: string | null
  createdAt: string | null
  updatedAt: string | null
}

export interface CrmStage {
  pipelineId: string
  pipeline: string
  stageId: string
  stage: string
  kind: 'open' | 'won' | 'lost'
  order: number
  probability: number | null
}

/** Properties, people, teams, and stages that records refer to. */
export interface CrmDirectory {
  properties: ReadonlyMap<string, CrmProperty>
  /** Current and former people, by id. */
  people: ReadonlyMap<string, CrmPerson>
  teams: ReadonlyMap<string, string>
  stages: readonly CrmStage[]
}

export interface CrmFile {
  name: string
  sizeBytes: number
  revision: string
}

export interface FileOfDeal {
  dealId: string
  fileId: string
}

/** A system from which deals are read. Any call may throw `SourceError`. */
export interface CrmSource {
  pageSize: number
  /** Returns the CRM's current time, based on its last response. Windows use this clock. */
  nowMs(): number
  readDirectory(): Promise<CrmDirectory>
  /**
   * Returns the next records of a window, by ascending id. A page shorter than `pageSize` is the last page.
   * If no properties are requested, reads only ids and times, which is cheap.
   */
  readChanges(window: Window, afterId: bigint, properties: readonly string[]): Promise<CrmPage>
  /** Returns about a hundred of the most recently modified records. */
  readRecent(properties: readonly string[]): Promise<CrmRecord[]>
  /** Returns a page of all records. `after` is '' for the first page, and `next` is null on the last page. */
  readAll(
    after: string,
    properties: readonly string[],
  ): Promise<{ records: CrmRecord[]; next: string | null }>
  /**
   * Returns the records with these ids that exist. For a merged record, may return the record that it was
   * merged into.
   */
  readRecords(ids: readonly bigint[], properties: readonly string[]): Promise<CrmRecord[]>
  /**
   * Returns a page of the ids of archived records. `after` is '' for the first page, and `next` is null on
   * the last page.
   */
  readArchived?(after: string): Promise<{ ids: string[]; next: string | null }>
  readAttachments?(ids: readonly string[]): Promise<FileOfDeal[]>
  /** Returns a file, or null if it does not exist. Sources without files do not have this method. */
  readFile?(id: string): Promise<CrmFile | null>
  /** Returns a public URL of the file and its expiry, or null if the file is missing. */
  signFile?(id: string): Promise<{ url: string; expiresAt: Date } | null>
  /** Opens a URL that `signFile` returned. @throws LinkRejectedError if the URL no longer serves it */
  openFile?(url: string): Promise<Readable>
  close(): Promise<void>
}

/** A problem with a source, described for the operator. */
export class SourceError extends Error {
  /** Minimum delay before a retry in milliseconds, or null to use the usual schedule. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Thrown when a requested object does not exist in the source. */
export class NotFoundError extends SourceError {}

/** Thrown when a signed URL does not serve its file or has stopped serving it. */
export class LinkRejectedError extends SourceError {}

export type SourceKind = 'hubspot' | 'sql'

const closed = 'it closed the connection'
const silent = 'it does not respond'
const noRoute = 'there is no route to the host'
const untrusted =
  'its certificate is not trusted; if a proxy replaces certificates, name its authority in NODE_EXTRA_CA_CERTS'

/** Reasons for a failed connection, by error code. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections there',
  ECONNRESET: closed,
  EPIPE: closed,
  CONNECTION_CLOSED: closed,
  UND_ERR_SOCKET: closed,
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ETIMEDOUT: silent,
  CONNECT_TIMEOUT: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
}

/** Returns the reason for a failed connection as text, or undefined for an unknown code. */
export const reasonOf = (code: string | undefined): string | undefined => reasons[code ?? '']
