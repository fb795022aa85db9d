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
  /** The longest that an attempt may take, in seconds. */
  expireS: number
  /** Whether an attempt continues the last one, so that a stopping process ends it at once. */
  isResumed?: true
  /** When it is due, in UTC, for periodic kinds. */
  cron?: string
}

const hourS = 3600

/** A kind that is sent by the clock, or when something makes it due. */
const periodic = { queue: 'short', concurrency: 1, retries: 2, retryS: 30, retryMaxS: 300 } as const

/** A kind whose jobs are all run; none replaces another. */
const standard = { queue: 'standard', retries: 3, retryS: 60, retryMaxS: hourS } as const

/** A message. Its handler says when it is tried again, and gives up first. */
const message = { queue: 'standard', retries: 20, retryS: 60, retryMaxS: 12 * hourS } as const

/** A step that turns news of a partner into notifications. Two of them leave most of the database to others. */
const fanOut = { ...standard, retries: 20, retryS: 5, retryMaxS: 600, concurrency: 2, perGroup: 1 } as const

const minutely = '* * * * *'
const hourly = '7 * * * *'

/** The kinds of jobs. Their handlers are in `server/programs/handlers.ts`. */
const jobKinds = {
  /** Sends a stored mail to its recipient. */
  mail: { ...message, concurrency: 8, perGroup: 1, expireS: 120 },
  /** Mails a user news of deals. */
  'notification-mail': { ...message, concurrency: 8, perGroup: 1, expireS: 120 },
  /** Sends news of deals to a browser of a user, whose push service may never answer. */
  'notification-push': { ...message, concurrency: 32, perGroup: 2, expireS: 60 },
  /** Posts news of deals to a team channel of a partner. */
  'team-post': { ...message, retryS: 30, retryMaxS: hourS, concurrency: 8, perGroup: 1, expireS: 60 },
  /** Turns a partner's next events into notifications. */
  'notify-of-events': { ...fanOut, expireS: 300 },
  /** Turns added files of a partner's deals into notifications. */
  'notify-of-files': { ...fanOut, expireS: 300 },
  /** Turns assignments of a partner's deals into notifications. */
  'notify-of-assignments': { ...fanOut, expireS: 300 },
  /** Looks for partners whose day has ended in a zone of their followers. */
  'find-ended-days': { ...periodic, expireS: 300, cron: minutely },
  /** Turns what a day has brought a partner's deals into notifications: late steps, upcoming ones. */
  'notify-of-days': { ...fanOut, queue: 'short', expireS: hourS },
  /** Mails a partner's messages in a thread to the people responsible. */
  'question-mail': { ...standard, concurrency: 4, perGroup: 1, expireS: 120 },
  /** Looks for questions that have been open for too long. */
  'find-late-questions': { ...periodic, expireS: 60, cron: minutely },
  /** Reminds the operators of an open question. */
  'question-reminder': { ...standard, queue: 'short', concurrency: 2, perGroup: 1, expireS: 120 },
  /** Looks for readers whose weekly digest is due. */
  'send-due-digests': { ...periodic, expireS: 300, cron: '*/5 * * * *' },
  /** Mails a reader the digest of the previous week. */
  digest: { ...standard, queue: 'short', concurrency: 2, perGroup: 1, expireS: 300 },
  /** Sends the jobs of waiting messages and news that have none. */
  'send-missing-messages': { ...periodic, expireS: 300, cron: hourly },
  /** Mails the admins of a partner that an endpoint was disabled. */
  'notify-switched-off': { ...standard, queue: 'short', concurrency: 2, perGroup: 1, expireS: 120 },
  /** Looks for partners with tokens that expire soon. */
  'find-expiring-tokens': { ...periodic, expireS: 300, cron: hourly },
  /** Mails the admins of a partner that tokens expire soon. */
  'warn-of-expiry': { ...standard, queue: 'short', concurrency: 2, perGroup: 1, expireS: 120 },
  /** Reads what has changed in a source, and compares all of it once a day. Its failures are the source's state. */
  'read-source': {
    queue: 'short',
    concurrency: 3,
    perGroup: 1,
    retries: 1_000_000,
    retryS: 10,
    retryMaxS: 900,
    expireS: 24 * hourS,
    isResumed: true,
  },
  /** Checks or imports a file. One operator's files leave room for another's. */
  'run-import': {
    queue: 'short',
    concurrency: 3,
    perGroup: 2,
    retries: 2,
    retryS: 30,
    retryMaxS: 300,
    expireS: 24 * hourS,
    isResumed: true,
  },
  /** Sends the jobs of sources that have none. */
  'send-missing-reads': { ...periodic, expireS: 60, cron: minutely },
  /** Records how far deliveries are behind. */
  'record-lag': { ...periodic, expireS: 60, cron: minutely },
  /** Updates the status of deals whose date has passed or whose stage has a new meaning. */
  'update-statuses': { ...periodic, expireS: hourS, cron: minutely },
  /** Renders deals of an older version again. */
  'upgrade-deals': { ...periodic, expireS: 24 * hourS, cron: hourly },
  /** Looks for outdated totals of long lists. */
  'renew-totals': { ...periodic, expireS: 300, cron: minutely },
  /** Looks for totals of long lists that no reader has opened yet. */
  'warm-totals': { ...periodic, expireS: 300, cron: '*/5 * * * *' },
  /** Counts totals of a list. Those that no reader waits for take at most a tenth of the time. */
  'count-totals': {
    queue: 'short',
    concurrency: 2,
    perGroup: 1,
    retries: 2,
    retryS: 30,
    retryMaxS: 300,
    expireS: 900,
    isResumed: true,
  },
  /** Looks for partners whose usual time zone may have changed. */
  'find-grown-partners': { ...periodic, expireS: 300, cron: hourly },
  /** Updates the usual time zone of a partner. */
  'update-usual-zone': { ...standard, concurrency: 2, perGroup: 1, expireS: 300 },
  /** Removes contents that no file references. */
  'sweep-contents': { ...periodic, expireS: 6 * hourS, cron: hourly },
  /** Deletes rows past their retention. */
  'remove-old': { ...periodic, expireS: 6 * hourS, cron: hourly },
  /** Deletes a partner's deliveries and events past their retention. */
  'remove-old-events': { ...periodic, expireS: 6 * hourS },
  /** Removes files of old imports, and looks for abandoned uploads. */
  'remove-old-uploads': { ...periodic, expireS: hourS, cron: hourly },
  /** Removes an abandoned upload. */
  'remove-upload': { ...standard, queue: 'short', concurrency: 2, expireS: 300 },
} as const satisfies Record<string, JobPolicy>

export type JobKind = keyof typeof jobKinds

/** The data of a job by kind; ids only, because rows may change while it waits. */
export interface JobData extends Record<PeriodicKind, null> {
  digest: { userId: number }
  mail: { mailId: number }
  'notification-mail': { deliveryId: number }
  'notification-push': { deliveryId: number }
  'notify-switched-off': { partnerId: number; url: string; because: 'gone' | 'failing' }
  'warn-of-expiry': { partnerId: number }
  'read-source': { sourceId: number }
  'run-import': { importId: number }
  'team-post': { channelId: number }
  'notify-of-events': { partnerId: number }
  'notify-of-files': { partnerId: number; fileIds: string[] }
  'notify-of-assignments': { partnerId: number }
  'notify-of-days': { partnerId: number }
  'count-totals': {
    listId: number
    kind: string
    /** Null if days do not matter. */
    zone: string | null
    /** A reader who has outdated ones, readers of today, or readers who have not come yet. */
    isFor: 'reader' | 'renewal' | 'later'
  }
  'question-mail': { threadId: number }
  'question-reminder': { threadId: number }
  'update-usual-zone': { partnerId: number }
  'remove-old-events': { partnerId: number }
  'remove-upload': { uploadId: string }
}

/** A kind that is sent by the clock. */
type PeriodicKind = {
  [Kind in JobKind]: (typeof jobKinds)[Kind] extends { cron: string } ? Kind : never
}[JobKind]

export const jobKindNames = Object.keys(jobKinds) as JobKind[]

/** Returns the policy of a kind. */
export const policyOf = (kind: JobKind): JobPolicy => jobKinds[kind]
