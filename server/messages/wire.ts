import { z } from 'zod'
import { GetDeal, ListDeals, int64 } from '../deals/wire.ts'
import { AppendFile, BeginFile, GetFile } from '../files/wire.ts'
import { BigRowId, RowId, line, text } from '../values/input.ts'
import { filesPerMessageMax, messageMaxChars } from './policy.ts'

const messageText = text(messageMaxChars)
  .transform((value) => value.trim())
  .refine((value) => value !== '', { error: 'must not be empty' })

const Written = z.object({
  text: messageText,
  files: z.array(GetFile.shape.id).max(filesPerMessageMax),
})

export const ListThreads = z.object({ dealId: GetDeal.shape.id })
export const ListOpen = z.object({ isMine: z.boolean() })
export const GetThread = z.object({ id: RowId })
/** A page of a question's messages: the newest ones, or those before the message with the id `cursor`. */
export const GetThreadPage = GetThread.extend({ cursor: BigRowId.nullish() })
export const AskQuestion = Written.extend(ListThreads.shape)
export const AnswerQuestion = Written.extend(GetThread.shape)
export const ReadThread = GetThread.extend({ messageId: BigRowId })

/** Lists the people that can be mentioned in a thread or in a new question about a deal. */
export const ListMentionable = ListThreads.extend({ threadId: RowId.optional() })

/** Begins an upload of a file to attach to a thread or to a new question about a deal. */
export const BeginAttachment = BeginFile.omit({ kind: true }).extend({ threadId: RowId.optional() })
export const AppendAttachment = AppendFile
export const GetAttachment = GetFile

const threadStates = ['open', 'answered', 'resolved'] as const

export const ListQuestions = z.object({
  state: z.enum(threadStates),
  /** The slug of a partner, or null for all partners. */
  partner: line(100).nullable(),
  /** The id of the last question on the previous page. */
  cursor: RowId.nullish(),
})

export const SaveReply = z.object({
  id: RowId.nullable(),
  title: line(80).min(1, { error: 'must not be empty' }),
  text: messageText,
})

export const RemoveReply = z.object({ id: RowId })

/** Number of hours after which operators are reminded, or null for never. */
export const SetReminder = z.object({ hours: z.int().min(1).max(720).nullable() })

export const ListMessages = z.object({
  id: GetDeal.shape.id,
  page: ListDeals.shape.page,
  size: ListDeals.shape.size,
})

const time = (description: string) =>
  z.iso.datetime().meta({
    description,
    examples: ['2026-03-01T18:20:05.000Z'],
    override: { type: 'string', format: 'date-time' },
  })

const Message = z
  .looseObject({
    id: int64().meta({ description: 'Id of the message.', examples: [45] }),
    question: z.int().meta({
      description: 'Id of the question that it asks or answers.',
      examples: [7],
      override: { type: 'integer', format: 'int32' },
    }),
    author: z.string().meta({ description: 'Name of the author.', examples: ['Nora Castellano'] }),
    isInstaller: z
      .boolean()
      .meta({ description: 'Whether the author works for the installer.', examples: [false] }),
    text: z
      .string()
      .meta({ description: 'Plain text.', examples: ['Has the utility approved the interconnection?'] }),
    created: time('When it was written.'),
    isResolved: z.boolean().meta({ description: 'Whether the question is resolved.', examples: [false] }),
    files: z
      .array(z.string())
      .meta({ description: 'Ids of the attached files.', examples: [['hic_9f2Kd81LmQ']] }),
  })
  .meta({ id: 'Message', description: 'A question about a deal, or an answer to it.' })

const count = (description: string, example: number) =>
  z.int().meta({ description, examples: [example], override: { type: 'integer', format: 'int32' } })

export const MessagePage = z
  .looseObject({
    page: count('Current page number.', 1),
    pages: count('Number of pages in this query.', 3),
    count: count('Total number of records in this query.', 21),
    messages: z.array(Message).meta({ description: 'Messages of the current page, oldest first.' }),
  })
  .meta({ id: 'MessagePage', description: 'Page of messages.' })
