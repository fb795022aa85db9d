import { z } from 'zod'
import { RowId, text } from '../../values/input.ts'

const endpoint = text(2048)
const key = text(200).regex(/^[\w-]+={0,2}$/, { error: 'must be base64url' })

/** The subscription of a browser (https://www.w3.org/TR/push-api/). */
export const Subscribe = z.object({ endpoint, p256dh: key, auth: key })

export const ChooseSubscription = z.object({ endpoint })

export const RemoveSubscription = z.object({ id: RowId })

export const SetPushNames = z.object({ isOn: z.boolean() })
