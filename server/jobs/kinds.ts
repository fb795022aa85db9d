/** How jobs of a kind wait, run and fail. */
export interface JobPolicy {
  /**
   * `standard`: as many as are sent. `short`: one waiting per key, others run. `exclusive`: one per key,
   * waiting or running.
   */
  queue: 'standard' | 'short' | 'exclusive'
  /** Jobs that a process runs at the same time. */
  concurrency: number
  /** Jobs of one group that all processes run at the same time. */
  perGroup?: number
  /** Attempts after the first; then the job is dead. */
  retries: number
  /** The wait before the first retry, in seconds. It doubles each time, up to `retryMaxS`. */
  retryS: number
  retryMaxS: number
  /** The time limit of an attempt, in seconds. */
  expireS: number
  /** Whether an attempt continues the last one, so that a stopping process can end it immediately. */
  isResumed?: true
  /** When it is due, in UTC, for periodic kinds. */
  cron?: string
}

const hourS = 3600
const minutely = '* * * * *'
const hourly = '7 * * * *'
const fiveMinutely = '*/5 * * * *'

/** Declares a kind whose jobs have this data: ids only, because rows may change while a job waits. */
const kind = <Data>(policy: JobPolicy): JobPolicy & { readonly data?: Data } => policy

const periodicPolicy = { queue: 'short', concurrency: 1, retries: 2, retryS: 30, retryMaxS: 300 } as const

/** Declares a kind that the clock sends. */
const periodic = (cron: string, expireS: number) => kind<null>({ ...periodicPolicy, cron, expireS })

/** Every job runs; none replaces another. */
const standard = { queue: 'standard', retries: 3, retryS: 60, retryMaxS: hourS } as const

/** Each key has one waiting job, which does the work of all that are sent while it waits. */
const merged = { ...standard, queue: 'short', concurrency: 2, perGroup: 1 } as const

/** A message. Its handler chooses the waits between attempts, and gives up before pg-boss does. */
const message = { queue: 'standard', retries: 20, retryS: 60, retryMaxS: 12 * hourS } as const

/** Turns a partner's changes into notifications. Two at the same time leave most of the database to others. */
const fanOut = { ...standard, retries: 20, retryS: 5, retryMaxS: 600, concurrency: 2, perGroup: 1 } as const

/** Long work that continues where the last attempt ended. */
const resumed = { queue: 'short', retries: 2, retryS: 30, retryMaxS: 300, isResumed: true } as const

/** The kinds of jobs. Their handlers are in `server/programs/handlers.ts`. */
const jobKinds = {
  /** Sends a stored mail to its recipient. */
  mail: kind<{ mailId: number }>({ ...message, concurrency: 8, perGroup: 1, expireS: 120 }),
  /** Mails a user news of deals. */
  'notification-mail': kind<{ deliveryId: number }>({
    ...message,
    concurrency: 8,
    perGroup: 1,
    expireS: 120,
  }),
  /** Sends news of deals to a browser of a user, whose push service may never respond. */
  'notification-push': kind<{ deliveryId: number }>({
    ...message,
    concurrency: 32,
    perGroup: 2,
    expireS: 60,
  }),
  /** Posts news of deals to a team channel of a partner. */
  'team-post': kind<{ channelId: number }>({
    ...message,
    retryS: 30,
    retryMaxS: hourS,
    concurrency: 8,
    perGroup: 1,
    expireS: 60,
  }),
  /** Turns a partner's next events into notifications. */
  'notify-of-events': kind<{ partnerId: number }>({ ...fanOut, expireS: 300 }),
  /** Turns added files of a partner's deals into notifications. */
  'notify-of-files': kind<{ partnerId: number; fileIds: string[] }>({ ...fanOut, expireS: 300 }),
  /** Turns assignments of a partner's deals into notifications. */
  'notify-of-assignments': kind<{ partnerId: number }>({ ...fanOut, expireS: 300 }),
  /** Finds partners whose day has ended in a zone of their followers. */
  'find-ended-days': periodic(minutely, 300),
  /** Notifies followers of late and upcoming steps at the end of a partner's day. */
  'notify-of-days': kind<{ partnerId: number }>({ ...fanOut, queue: 'short', expireS: hourS }),
  /** Mails a partner's messages in a thread to the people responsible. */
  'question-mail': kind<{ threadId: number }>({ ...standard, concurrency: 4, perGroup: 1, expireS: 120 }),
  /** Finds questions that have been open for too long. */
  'find-late-questions': periodic(minutely, 60),
  /** Reminds the operators of an open question. */
  'question-reminder': kind<{ threadId: number }>({ ...merged, expireS: 120 }),
  /** Finds readers whose weekly digest is due. */
  'send-due-digests': periodic(fiveMinutely, 300),
  /** Mails a reader the digest of the previous week. */
  digest: kind<{ userId: number }>({ ...merged, expireS: 300 }),
  /** Sends the jobs of rows that wait for one and have none. */
  'send-missing-jobs': periodic(fiveMinutely, 300),
  /** Mails the admins of a partner that an endpoint was disabled. */
  'notify-switched-off': kind<{ partnerId: number; url: string; because: 'gone' | 'failing' }>({
    ...merged,
    expireS: 120,
  }),
  /** Finds partners with tokens that expire soon. */
  'find-expiring-tokens': periodic(hourly, 300),
  /** Mails the admins of a partner that tokens expire soon. */
  'warn-of-expiry': kind<{ partnerId: number }>({ ...merged, expireS: 120 }),
  /** Reads the changes of a source, and compares all of it once a day. Its failures are the source's state. */
  'read-source': kind<{ sourceId: number }>({
    ...resumed,
    concurrency: 3,
    perGroup: 1,
    retries: 1_000_000,
    retryS: 10,
    retryMaxS: 900,
    expireS: 24 * hourS,
  }),
  /** Checks or imports a file. One operator's files leave room for another's. */
  'run-import': kind<{ importId: number }>({ ...resumed, concurrency: 3, perGroup: 2, expireS: 24 * hourS }),
  /** Records how far deliveries are behind. */
  'record-lag': periodic(minutely, 60),
  /** Updates the status of deals whose date has passed or whose stage has a new meaning. */
  'update-statuses': periodic(minutely, hourS),
  /** Renders deals of an older version again. */
  'upgrade-deals': periodic(hourly, 24 * hourS),
  /** Finds outdated totals of long lists. */
  'renew-totals': periodic(minutely, 300),
  /** Finds totals of long lists that no reader has opened yet. */
  'warm-totals': periodic(fiveMinutely, 300),
  /** Counts totals of a list. Those that no reader waits for take at most a tenth of the time. */
  'count-totals': kind<{
    listId: number
    kind: string
    /** Null if days do not matter. */
    zone: string | null
    /** A reader who has outdated ones, readers of today, or readers who have not come yet. */
    isFor: 'reader' | 'renewal' | 'later'
  }>({ ...resumed, concurrency: 2, perGroup: 1, expireS: 900 }),
  /** Finds partners whose usual time zone may have changed. */
  'find-grown-partners': periodic(hourly, 300),
  /** Updates the usual time zone of a partner. */
  'update-usual-zone': kind<{ partnerId: number }>({
    ...standard,
    concurrency: 2,
    perGroup: 1,
    expireS: 300,
  }),
  /** Removes contents that no file references. */
  'sweep-contents': periodic(hourly, 6 * hourS),
  /** Deletes rows past their retention. */
  'remove-old': periodic(hourly, 6 * hourS),
  /** Deletes a partner's deliveries and events past their retention. */
  'remove-old-events': kind<{ partnerId: number }>({ ...periodicPolicy, expireS: 6 * hourS }),
  /** Removes files of old imports, and finds abandoned uploads. */
  'remove-old-uploads': periodic(hourly, hourS),
  /** Removes an abandoned upload. */
  'remove-upload': kind<{ uploadId: string }>({ ...standard, queue: 'short', concurrency: 2, expireS: 300 }),
}

export type JobKind = keyof typeof jobKinds

/** The data of a job by kind. */
export type JobData = {
  [Kind in JobKind]: Exclude<(typeof jobKinds)[Kind]['data'], undefined>
}

export const jobKindNames = Object.keys(jobKinds) as JobKind[]

/** Returns the policy of a kind. */
export const policyOf = (name: JobKind): JobPolicy => jobKinds[name]
