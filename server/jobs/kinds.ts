/** How jobs of a kind are queued, run and retried. */
export interface JobPolicy {
  /**
   * `standard` queues every job. `short` allows one waiting job per key besides running ones. `exclusive`
   * allows one job per key, waiting or running.
   */
  queue: 'standard' | 'short' | 'exclusive'
  /** Maximum number of jobs that a process runs at the same time. */
  concurrency: number
  /** Maximum number of jobs of one group that run at the same time in all processes. */
  perGroup?: number
  retries: number
  /** Wait before the first retry, in seconds. Doubles with each retry, up to `retryMaxS`. */
  retryS: number
  retryMaxS: number
  expireS: number
  /** Set if an attempt continues the last one, so that a stopping process can abort it immediately. */
  isResumed?: true
  /** Schedule of a periodic kind, in UTC. */
  cron?: string
}

const hourS = 3600
const minutely = '* * * * *'
const hourly = '7 * * * *'
const fiveMinutely = '*/5 * * * *'

/**
 * Declares a kind of job with this data. The data consists of ids, because rows may change while a job waits.
 */
const kind = <Data = never>(policy: JobPolicy): JobPolicy & { readonly data?: Data } => policy

const periodicPolicy = { queue: 'short', concurrency: 1, retries: 2, retryS: 30, retryMaxS: 300 } as const

/** Declares a kind of job that is sent on a schedule. */
const periodic = (cron: string, expireS: number) => kind<null>({ ...periodicPolicy, cron, expireS })

/** Runs every job, without merging. */
const standard = { queue: 'standard', retries: 3, retryS: 60, retryMaxS: hourS } as const

/** Merges jobs by key: a waiting job also does the work of later ones. */
const merged = { ...standard, queue: 'short', concurrency: 2, perGroup: 1 } as const

/** Sends a message. The handler chooses the waits between attempts, and gives up before pg-boss would. */
const message = { queue: 'standard', retries: 20, retryS: 60, retryMaxS: 12 * hourS } as const

/**
 * Turns a partner's changes into notifications. Limited to two jobs at a time, to leave most of the database
 * to other work.
 */
const fanOut = { ...standard, retries: 20, retryS: 5, retryMaxS: 600, concurrency: 2, perGroup: 1 } as const

/** Long-running work that continues where the last attempt stopped. */
const resumed = { queue: 'short', retries: 2, retryS: 30, retryMaxS: 300, isResumed: true } as const

/** The kinds of jobs. `server/programs/handlers.ts` contains their handlers. */
const jobKinds = {
  mail: kind<{ mailId: number }>({ ...message, concurrency: 8, perGroup: 1, expireS: 120 }),
  'notification-mail': kind<{ deliveryId: number }>({
    ...message,
    concurrency: 8,
    perGroup: 1,
    expireS: 120,
  }),
  /** Pushes notifications about deals to a user's browser. The push service may never respond. */
  'notification-push': kind<{ deliveryId: number }>({
    ...message,
    concurrency: 32,
    perGroup: 2,
    expireS: 60,
  }),
  'team-post': kind<{ channelId: number }>({
    ...message,
    retryS: 30,
    retryMaxS: hourS,
    concurrency: 8,
    perGroup: 1,
    expireS: 60,
  }),
  'notify-of-events': kind<{ partnerId: number }>({ ...fanOut, expireS: 300 }),
  'notify-of-files': kind<{ partnerId: number; fileIds: string[] }>({ ...fanOut, expireS: 300 }),
  'notify-of-assignments': kind<{ partnerId: number }>({ ...fanOut, expireS: 300 }),
  /** Finds partners with followers in a zone where a day has ended. */
  'find-ended-days': periodic(minutely, 300),
  /** Notifies followers of late and upcoming steps at the end of a day. */
  'notify-of-days': kind<{ partnerId: number }>({ ...fanOut, queue: 'short', expireS: hourS }),
  /** Mails a partner's messages in a thread to the people responsible. */
  'question-mail': kind<{ threadId: number }>({ ...standard, concurrency: 4, perGroup: 1, expireS: 120 }),
  'find-late-questions': periodic(minutely, 60),
  'question-reminder': kind<{ threadId: number }>({ ...merged, expireS: 120 }),
  /** Finds readers whose weekly digest is due. */
  'send-due-digests': periodic(fiveMinutely, 300),
  digest: kind<{ userId: number }>({ ...merged, expireS: 300 }),
  /** Sends missing jobs for rows that need one. */
  'send-missing-jobs': periodic(fiveMinutely, 300),
  'notify-switched-off': kind<{ partnerId: number; url: string; because: 'gone' | 'failing' }>({
    ...merged,
    expireS: 120,
  }),
  'find-expiring-tokens': periodic(hourly, 300),
  'warn-of-expiry': kind<{ partnerId: number }>({ ...merged, expireS: 120 }),
  /**
   * Reads the changes of a source and, once a day, compares all its data. Failures are recorded in the
   * source, not in the job.
   */
  'read-source': kind<{ sourceId: number }>({
    ...resumed,
    concurrency: 3,
    perGroup: 1,
    retries: 1_000_000,
    retryS: 10,
    retryMaxS: 900,
    expireS: 24 * hourS,
  }),
  /** Checks or imports a file. The limit per operator leaves room for files of other operators. */
  'run-import': kind<{ importId: number }>({ ...resumed, concurrency: 3, perGroup: 2, expireS: 24 * hourS }),
  'record-lag': periodic(minutely, 60),
  /** Updates the status of deals whose date has passed or whose stage has changed its meaning. */
  'update-statuses': periodic(minutely, hourS),
  /** Renders deals written by an older version again. */
  'upgrade-deals': periodic(hourly, 24 * hourS),
  'renew-totals': periodic(minutely, 300),
  /** Finds totals of long lists that nobody has opened yet. */
  'warm-totals': periodic(fiveMinutely, 300),
  /** Computes the totals of a list. Totals that nobody waits for take at most a tenth of the time. */
  'count-totals': kind<{
    listId: number
    kind: string
    /** Null if the totals do not depend on days. */
    zone: string | null
    /**
     * `reader` has outdated totals open, `renewal` is for totals read today, `later` for totals not read yet.
     */
    isFor: 'reader' | 'renewal' | 'later'
  }>({ ...resumed, concurrency: 2, perGroup: 1, expireS: 900 }),
  /** Finds partners whose most common time zone may have changed. */
  'find-grown-partners': periodic(hourly, 300),
  'update-usual-zone': kind<{ partnerId: number }>({
    ...standard,
    concurrency: 2,
    perGroup: 1,
    expireS: 300,
  }),
  'sweep-contents': periodic(hourly, 6 * hourS),
  /** Deletes rows past their retention. */
  'remove-old': periodic(hourly, 6 * hourS),
  /** Deletes a partner's deliveries and events past their retention. */
  'remove-old-events': kind<{ partnerId: number }>({ ...periodicPolicy, expireS: 6 * hourS }),
  /** Removes files of old imports, and finds abandoned uploads. */
  'remove-old-uploads': periodic(hourly, hourS),
  'remove-upload': kind<{ uploadId: string }>({ ...standard, queue: 'short', concurrency: 2, expireS: 300 }),
}

export type JobKind = keyof typeof jobKinds

/** The data of each kind of job. */
export type JobData = {
  [Kind in JobKind]: Exclude<(typeof jobKinds)[Kind]['data'], undefined>
}

export const jobKindNames = Object.keys(jobKinds) as JobKind[]

/** Returns the policy of a kind of job. */
export const policyOf = (name: JobKind): JobPolicy => jobKinds[name]
