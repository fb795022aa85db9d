import type { Database, Transaction } from '#db/client.ts'
import { type Actor, type SignedIn, partnerOf } from '../access/actor.ts'
import { audited } from '../access/audited.ts'
import { personal, router } from '../access/procedure.ts'
import { spend } from '../accounts/limit-store.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { ApiError, notFound, errorName } from '../errors.ts'
import * as uploads from '../files/actions.ts'
import { removeUpload } from '../files/remove-unnamed.ts'
import { findFile } from '../files/store.ts'
import type { Services } from '../runtime/services.ts'
import { messageOperations } from './operations.ts'
import { readPartnerOfDeal } from './page-store.ts'
import { messagesPageSize, messagesPerThreadMax, threadsPerDealMax } from './policy.ts'
import { questionProcedures } from './question-router.ts'
import {
  type FoundThread,
  type MessageProblem,
  type NewMessage,
  findThread,
  insertAnswer,
  insertQuestion,
  readMentionable,
  readMessages,
  readOpenThreads,
  readThreads,
  readUpTo,
  readUsualAnswerMs,
  setResolved,
} from './store.ts'
import { mentionedIn } from './thread.ts'
import {
  AnswerQuestion,
  AppendAttachment,
  AskQuestion,
  BeginAttachment,
  GetAttachment,
  GetThread,
  GetThreadPage,
  ListMentionable,
  ListOpen,
  ListThreads,
  ReadThread,
} from './wire.ts'

interface Asking {
  db: Database
  actor: Actor
  user: SignedIn
  services: Services
}

const uploading = (asking: Asking) => uploads.uploadContextOf(asking, true)

/**
 * Returns the partner that questions about the deal belong to.
 * @throws ApiError 404, 400 for a deal without a partner
 */
async function requirePartnerOf({ db, actor }: Asking, dealId: bigint): Promise<PartnerId> {
  const deal = await readPartnerOfDeal(db, actor.tenant, dealId)
  if (deal === undefined) throw notFound('Deal')
  if (deal.partnerId === null) throw new ApiError('BAD_REQUEST', 'The deal has no partner to ask')
  return deal.partnerId
}

async function requireThread({ db, actor }: Asking, id: number): Promise<FoundThread> {
  const thread = await findThread(db, actor.tenant, id)
  if (thread === undefined) throw notFound('Question')
  return thread
}

/** Returns the user and partner whose messages are counted against the limit. */
const memberOf = ({ actor, user }: Asking) => ({
  userId: user.id,
  partnerId: user.role === 'operator' ? null : partnerOf(actor),
})

const isOperator = ({ user }: Asking) => user.role === 'operator'

/**
 * Calls `insert` to store a message, and stores the attached files, in one transaction.
 * @throws ApiError 429 if too many are sent, 404 or 400 if it cannot be stored
 */
async function write<Stored>(
  asking: Asking,
  { text, files }: { text: string; files: string[] },
  place: { partnerId: PartnerId; threadId: number | null },
  insert: (tx: Transaction, message: NewMessage) => Promise<Stored | MessageProblem>,
): Promise<Stored> {
  const { db, user, services } = asking
  const context = uploading(asking)
  const contents = await storeFiles(asking, files)
  const isInstaller = isOperator(asking)
  const people = text.includes('@') ? await readMentionable(db, { ...place, isOperator: isInstaller }) : []
  const message: NewMessage = {
    userId: user.id,
    isInstaller,
    text,
    files,
    mentions: mentionedIn(text, people),
    isMailed: services.mailer !== null && !isInstaller,
  }
  const stored = await db.transaction(async (tx) => {
    await spend(tx, memberOf(asking), 'messages')
    for (const content of contents) await uploads.insertStored(context, tx, content)
    return requireStored(await insert(tx, message))
  })
  for (const { upload } of contents)
    await removeUpload(db, services.storages, upload).catch((error: unknown) => {
      // The message is already stored, and the cleanup job removes the slices later.
      services.log.warn({ error: errorName(error) }, 'slices of an attached file were not removed')
    })
  return stored
}

/** Scans and stores the contents of uploads for attaching. @throws ApiError 400 if one cannot be attached */
async function storeFiles(asking: Asking, ids: string[]): Promise<uploads.StoredContent[]> {
  const contents: uploads.StoredContent[] = []
  for (const id of new Set(ids)) {
    if ((await findFile(asking.db, asking.actor.tenant, id)) !== undefined) requireStored('files')
    contents.push(await uploads.storeUpload(uploading(asking), id))
  }
  return contents
}

const problems: Record<Exclude<MessageProblem, 'missing'>, string> = {
  moved: 'The deal has moved to another partner, and the partner that asked cannot read answers any more',
  full: `A deal has at most ${threadsPerDealMax} questions, and a question ${messagesPerThreadMax} messages`,
  files: 'A file is missing; attach it again',
}

/**
 * Returns the stored message, or throws if there is a problem.
 * @throws ApiError 404, 400 for a message that was not stored
 */
function requireStored<Stored>(outcome: Stored | MessageProblem): Stored {
  if (outcome === 'missing') throw notFound('Question')
  if (typeof outcome === 'string')
    throw new ApiError('BAD_REQUEST', problems[outcome as keyof typeof problems])
  return outcome as Stored
}

/** Resolves or reopens a question, and writes the audit entry. */
async function settle({ db, actor }: Asking, id: number, isResolved: boolean): Promise<void> {
  await audited(
    { db, actor },
    ({ dealId, partnerId }: { dealId: string; partnerId: PartnerId }) => ({
      action: isResolved ? 'question.resolved' : 'question.reopened',
      subject: `question ${id} (deal ${dealId})`,
      partnerId,
    }),
    async (tx) => {
      const thread = await setResolved(tx, actor.tenant, id, isResolved)
      if (thread === undefined) throw notFound('Question')
      return thread
    },
  )
}

export const messagesRouter = router({
  ...messageOperations,
  ...questionProcedures,

  /** Returns unresolved questions, either the user's own or those of everyone in the tenant. */
  open: personal
    .input(ListOpen)
    .query(({ ctx: { db, actor, user }, input: { isMine } }) =>
      readOpenThreads(db, actor.tenant, isMine ? user.id : null),
    ),

  threads: personal.input(ListThreads).query(async ({ ctx: { db, actor, user }, input: { dealId } }) => {
    const deal = await readPartnerOfDeal(db, actor.tenant, dealId)
    if (deal === undefined) throw notFound('Deal')
    const [threads, usualAnswerMs] = await Promise.all([
      readThreads(db, actor.tenant, dealId, user.id),
      readUsualAnswerMs(db, actor.tenant),
    ])
    return { threads, usualAnswerMs, canAsk: deal.partnerId !== null }
  }),

  /**
   * Returns a question with a page of its messages, oldest first. `next` is the cursor of the previous
   * messages.
   */
  thread: personal.input(GetThreadPage).query(async ({ ctx, input: { id, cursor } }) => {
    const { dealId, isMoved, isResolved } = await requireThread(ctx, id)
    const found = await readMessages(ctx.db, ctx.actor.tenant, id, ctx.user.id, {
      before: cursor ?? null,
      limit: messagesPageSize + 1,
    })
    const messages = found.slice(-messagesPageSize)
    const next = found.length > messages.length ? messages[0]!.id : null
    return { id, dealId: String(dealId), isMoved, isResolved, messages, next }
  }),

  mentionable: personal.input(ListMentionable).query(async ({ ctx, input: { dealId, threadId } }) => {
    const partnerId =
      threadId === undefined
        ? await requirePartnerOf(ctx, dealId)
        : (await requireThread(ctx, threadId)).partnerId
    const people = await readMentionable(ctx.db, {
      partnerId,
      threadId: threadId ?? null,
      isOperator: isOperator(ctx),
    })
    return people.filter(({ id }) => id !== ctx.user.id)
  }),

  /** Asks a question about a deal. Returns the ids of the question and its first message. */
  ask: personal.input(AskQuestion).mutation(async ({ ctx, input: { dealId, ...written } }) => {
    const partnerId = await requirePartnerOf(ctx, dealId)
    return write(ctx, written, { partnerId, threadId: null }, (tx, message) =>
      insertQuestion(tx, partnerId, dealId, message),
    )
  }),

  answer: personal.input(AnswerQuestion).mutation(async ({ ctx, input: { id, ...written } }) => {
    const { partnerId } = await requireThread(ctx, id)
    await write(ctx, written, { partnerId, threadId: id }, (tx, message) =>
      insertAnswer(tx, ctx.actor.tenant, id, message),
    )
  }),

  resolve: personal.input(GetThread).mutation(({ ctx, input: { id } }) => settle(ctx, id, true)),

  reopen: personal.input(GetThread).mutation(({ ctx, input: { id } }) => settle(ctx, id, false)),

  read: personal
    .input(ReadThread)
    .mutation(async ({ ctx: { db, actor, user }, input: { id, messageId } }) => {
      if (!(await readUpTo(db, actor.tenant, { userId: user.id, threadId: id, messageId })))
        throw notFound('Question')
    }),

  /**
   * Creates an upload for a file to attach. Returns the id of the upload, which becomes the id of the file.
   */
  beginFile: personal.input(BeginAttachment).mutation(async ({ ctx, input: { threadId, ...file } }) => {
    const thread = threadId === undefined ? null : await requireThread(ctx, threadId)
    const threadPartnerId = thread?.partnerId ?? (await requirePartnerOf(ctx, file.dealId))
    const dealId = thread?.dealId ?? file.dealId
    return {
      id: await uploads.beginUpload(uploading(ctx), { ...file, dealId, threadPartnerId, kind: 'other' }),
    }
  }),

  /**
   * Stores the next slice of a file to attach if it begins at the expected offset. Returns the number of
   * bytes received.
   */
  appendFile: personal
    .input(AppendAttachment)
    .mutation(({ ctx, input: { id, ...slice } }) => uploads.appendToUpload(uploading(ctx), id, slice)),

  discardFile: personal
    .input(GetAttachment)
    .mutation(({ ctx, input: { id } }) => uploads.discardUpload(uploading(ctx), id)),
})
