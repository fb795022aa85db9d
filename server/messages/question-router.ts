import { audited } from '../access/audited.ts'
import { forOperators } from '../access/procedure.ts'
import { ApiError, notFound } from '../errors.ts'
import { formatSpan, hourMs } from '../values/units.ts'
import { savedRepliesMax } from './policy.ts'
import {
  countOpen,
  readAskers,
  readQuestions,
  readReminderHours,
  readReplies,
  removeReply,
  saveReply,
  setReminderHours,
} from './question-store.ts'
import { ListQuestions, RemoveReply, SaveReply, SetReminder } from './wire.ts'

export const questionProcedures = {
  /** Returns a page of questions. Unanswered questions are sorted oldest first, all others newest first. */
  questions: forOperators
    .input(ListQuestions)
    .query(({ ctx: { db, actor }, input: { cursor, ...filter } }) =>
      readQuestions(db, actor.tenant, { ...filter, cursor: cursor ?? null }),
    ),

  openCount: forOperators.query(({ ctx: { db, actor } }) => countOpen(db, actor.tenant)),

  askers: forOperators.query(({ ctx: { db, actor } }) => readAskers(db, actor.tenant)),

  replies: forOperators.query(({ ctx: { db } }) => readReplies(db)),

  saveReply: forOperators.input(SaveReply).mutation(async ({ ctx, input }) => {
    await audited(ctx, { action: 'reply.saved', subject: input.title, partnerId: null }, async (tx) => {
      const outcome = await saveReply(tx, input)
      if (outcome === 'missing') throw notFound('Reply')
      if (outcome === 'full')
        throw new ApiError(
          'BAD_REQUEST',
          `There are ${savedRepliesMax} saved replies already; delete one first`,
        )
      if (outcome === 'taken')
        throw new ApiError('BAD_REQUEST', 'The request is not valid', {
          errors: ['title: is taken by another saved reply'],
        })
    })
  }),

  removeReply: forOperators.input(RemoveReply).mutation(async ({ ctx, input: { id } }) => {
    await audited(
      ctx,
      (title: string) => ({ action: 'reply.removed', subject: title, partnerId: null }),
      async (tx) => {
        const title = await removeReply(tx, id)
        if (title === undefined) throw notFound('Reply')
        return title
      },
    )
  }),

  /**
   * Returns the number of hours after which operators are reminded of an unanswered question, or null if
   * never.
   */
  reminder: forOperators.query(({ ctx: { db } }) => readReminderHours(db)),

  setReminder: forOperators.input(SetReminder).mutation(async ({ ctx, input: { hours } }) => {
    const subject = hours === null ? 'never' : `after ${formatSpan(hours * hourMs)}`
    await audited(ctx, { action: 'reminder.changed', subject, partnerId: null }, (tx) =>
      setReminderHours(tx, hours),
    )
  }),
}
