import { router } from './access/procedure.ts'
import { dealOperations } from './deals/operations.ts'
import { fileOperations } from './files/operations.ts'
import { insightOperations } from './insight/operations.ts'
import { messageOperations } from './messages/operations.ts'
import { eventOperations, searchOperations } from './search/operations.ts'
import { webhookOperations, subscriptionOperations } from './webhooks/operations.ts'

/** The procedures of the REST API. */
export const operations = router({
  deals: router({ ...dealOperations, ...searchOperations }),
  events: router(eventOperations),
  files: router(fileOperations),
  insight: router(insightOperations),
  messages: router(messageOperations),
  subscriptions: router(subscriptionOperations),
  webhooks: router(webhookOperations),
})
