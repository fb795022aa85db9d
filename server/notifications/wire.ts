import { z } from 'zod'
import { chosenMax } from '../deals/policy.ts'
import { GetDeal } from '../deals/wire.ts'
import { DealFilter, RelativeDays } from '../search/wire.ts'
import { BigRowId, RowId, text } from '../values/input.ts'
import { schedules } from './when.ts'

/** Notification settings: kinds, channels and times. */
export const SetNotifications = z.object({
  stage: z.boolean(),
  dates: z.boolean(),
  late: z.boolean(),
  items: z.boolean(),
  files: z.boolean(),
  messages: z.boolean(),
  schedule: z.enum(schedules),
  /** The hour of the daily message. */
  hour: z.int().min(0).max(23),
  atNight: z.boolean(),
  byMail: z.boolean(),
})
export type SetNotifications = z.infer<typeof SetNotifications>

export const FollowDeal = GetDeal.extend({ isOn: z.boolean() })

export const FollowDeals = z.object({
  ids: z.array(GetDeal.shape.id).min(1).max(chosenMax),
  isOn: z.boolean(),
})

/** A view to follow, with the current filter of its query and its relative days; null unfollows. */
export const FollowView = z.object({
  id: RowId,
  filter: DealFilter.nullable(),
  relativeDays: RelativeDays.default({}),
})

export const ConfirmPeople = z.object({ ids: z.array(RowId).max(100) })

/** A page of notifications: those older than one of them. */
export const ListNotifications = z.object({ cursor: BigRowId.nullish() })

/** The unsubscribe link in a mail. */
export const Unsubscribe = z.object({ token: text(60) })
