import type { Readable } from 'node:stream'

/** A record of the CRM: property values as returned by the CRM. */
export interface CrmRecord {
  /** In the CRM's notation; a deal's id is an int64. */
  id: string
  modifiedMs: number
  values: Readonly<Record<string, string | null>>
  /** Why values that the CRM has are missing, by property. */
  unreadable?: ReadonlyMap<string, string>
  /** The ids of records that were merged into it. */
  mergedIds?: readonly string[]
}

/** The records last modified from `fromMs` to `toMs`, inclusive. */
export interface Window {
  fromMs: number
  toMs: number
}

/** A page of records. */
export interface CrmPage {
  records: CrmRecord[]
  /** The number of remaining records, including these; null if unknown. */
  total: number | null
}

/** A property of the CRM's deals. */
export interface CrmProperty {
  name: string
  label: string
  type: 'string' | 'number' | 'date' | 'datetime' | 'enumeration' | 'bool'
  /** Whether it can hold several values. */
  isList: boolean
  /** The labels of an enumeration by value. */
  labels: ReadonlyMap<string, string>
  /** Whether it is a single box, where an empty one means "no". */
  isBox?: boolean
  /** Whether its values are HTML. */
  isRichText?: boolean
  /** The kinds of records that its values are ids of, likeliest first. */
  refersTo?: readonly ('owner' | 'user' | 'team' | 'stage' | 'pipeline')[]
}

/** A person of the CRM, as shown in a deal. */
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

/** A stage of a pipeline. */
export interface CrmStage {
  pipelineId: string
  pipeline: string
  stageId: string
  stage: string
  kind: 'open' | 'won' | 'lost'
  order: number
  probability: number | null
}

/** The properties, people, teams and stages that records refer to. */
export interface CrmDirectory {
  properties: ReadonlyMap<string, CrmProperty>
  /** By id; including former ones. */
  people: ReadonlyMap<string, CrmPerson>
  /** The names of teams by id. */
  teams: ReadonlyMap<string, string>
  stages: readonly CrmStage[]
}

/** A file of the CRM. */
export interface CrmFile {
  name: string
  sizeBytes: number
  /** Changes with its content. */
  revision: string
}

/** A file that belongs to a deal. */
export interface FileOfDeal {
  dealId: string
  fileId: string
}

/** A system that deals are read from. Each call may throw `SourceError`. */
export interface CrmSource {
  /** Maximum records of a page of changes. */
  pageSize: number
  /** Returns the time at the CRM, from its last response: windows use its clock. */
  nowMs(): number
  readDirectory(): Promise<CrmDirectory>
  /**
   * Returns the next records of a window by ascending id; a page shorter than `pageSize` is the last. Without
   * properties, it reads only ids and times, which is cheap.
   */
  readChanges(window: Window, afterId: bigint, properties: readonly string[]): Promise<CrmPage>
  /** Returns the most recently modified records, about a hundred. */
  readRecent(properties: readonly string[]): Promise<CrmRecord[]>
  /** Returns a page of all records; `after` is '' at first, and `next` null at the end. */
  readAll(
    after: string,
    properties: readonly string[],
  ): Promise<{ records: CrmRecord[]; next: string | null }>
  /**
   * Returns the records with these ids that exist. In place of a merged one, it may return the record that it
   * is now part of.
   */
  readRecords(ids: readonly bigint[], properties: readonly string[]): Promise<CrmRecord[]>
  /** Returns a page of the ids of archived records; `after` is '' at first, and `next` null at the end. */
  readArchived?(after: string): Promise<{ ids: string[]; next: string | null }>
  /** Returns the files attached to notes about these records. */
  readAttachments?(ids: readonly string[]): Promise<FileOfDeal[]>
  /** Returns a file, or null if there is none; without the method, the source has no files. */
  readFile?(id: string): Promise<CrmFile | null>
  /** Returns a public URL of the file with its expiry; null if it is missing. */
  signFile?(id: string): Promise<{ url: string; expiresAt: Date } | null>
  /** Opens a URL returned by `signFile`. @throws LinkRejectedError if the URL no longer serves it */
  openFile?(url: string): Promise<Readable>
  close(): Promise<void>
}

/** A problem with a source, in words for the operator. */
export class SourceError extends Error {
  /** The earliest time to retry, in milliseconds; null: by the usual schedule. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Thrown when the source lacks a requested object. */
export class NotFoundError extends SourceError {}

/** Thrown when a signed URL does not serve its file, or no longer does. */
export class LinkRejectedError extends SourceError {}
