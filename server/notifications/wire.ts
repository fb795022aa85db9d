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
  /** Hour at which the daily message is sent. */
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

/**
 * A view to follow, with its current filter and relative days. If the filter is null, the view is unfollowed.
 */
export const FollowView = z.object({
  id: RowId,
  filter: DealFilter.nullable(),
  relativeDays: RelativeDays.default({}),
})

export const ConfirmPeople = z.object({ ids: z.array(RowId).max(100) })

/** A page of notifications, starting before the id `cursor` if given. */
export const ListNotifications = z.object({ cursor: BigRowId.nullish() })

/** The token of an unsubscribe link. */
export const Unsubscribe = z.object({ token: text(60) })
