import type { Readable } from 'node:stream'

/** A record of the CRM: property values as the CRM gives them. */
export interface CrmRecord {
  /** As the CRM writes it; a deal's id is an int64. */
  id: string
  modifiedMs: number
  values: Readonly<Record<string, string | null>>
}

/** The records that were last modified from `fromMs` to `toMs`, both included. */
interface Window {
  fromMs: number
  toMs: number
}

/** A part of what is read. */
export interface CrmPage {
  records: CrmRecord[]
  /** The number of remaining records, including these; null when unknown. */
  total: number | null
}

/** A property of the CRM's deals. */
export interface CrmProperty {
  name: string
  label: string
  type: 'string' | 'number' | 'date' | 'datetime' | 'enumeration' | 'bool'
  /** Whether it holds several values. */
  isList: boolean
  /** The labels of an enumeration by value. */
  labels: ReadonlyMap<string, string>
}

/** A person of the CRM, as a deal shows one. */
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

/** What records refer to. */
export interface CrmDirectory {
  properties: ReadonlyMap<string, CrmProperty>
  /** By id; former ones too. */
  people: ReadonlyMap<string, CrmPerson>
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

/** The seam: a system that deals are read from. Each call may throw `SourceError`. */
export interface CrmSource {
  /** The most records of a page of changes. */
  pageSize: number
  /** Returns the time there, as its last answer had it: windows are of its clock. */
  nowMs(): number
  readDirectory(): Promise<CrmDirectory>
  /** Returns the next records of a window by ascending id: a page shorter than `pageSize` is the last. */
  readChanges(window: Window, afterId: bigint, properties: readonly string[]): Promise<CrmPage>
  /** Returns the records that were modified last, about a hundred. */
  readRecent(properties: readonly string[]): Promise<CrmRecord[]>
  /** Returns a page of all records; `after` is '' at first, and `next` null at the end. */
  readAll(
    after: string,
    properties: readonly string[],
  ): Promise<{ records: CrmRecord[]; next: string | null }>
  /** Returns the ids without a record any more: archived or merged. */
  findGone(ids: readonly bigint[]): Promise<bigint[]>
  /** Returns the files attached to notes about these records. */
  readAttachments?(ids: readonly string[]): Promise<FileOfDeal[]>
  /** Returns a file, or null when there is none; without the method the source has no files. */
  readFile?(id: string): Promise<CrmFile | null>
  /** Returns a public URL of the file with its expiry; null when it is missing. */
  signFile?(id: string): Promise<{ url: string; expiresAt: Date } | null>
  /** Opens what is at a URL that `signFile` has returned. @throws LinkRejectedError when the URL does not serve it any more */
  openFile?(url: string): Promise<Readable>
  close(): Promise<void>
}

/** Thrown when the source lacks a requested object. */
export class NotFoundError extends Error {}

/** What went wrong with a source, in words for the operator. */
export class SourceError extends Error {
  /** When to try again at the earliest, in milliseconds; null: by the usual plan. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Thrown when a URL that was signed does not serve its file, or does not any more. */
export class LinkRejectedError extends SourceError {}
