import { dealsRouter, eventsRouter } from './deals/router.ts'
import { filesRouter } from './files/router.ts'
import { router } from './procedure.ts'
import { deliveriesRouter, webhooksRouter } from './webhooks/router.ts'

export const api = router({ deals: dealsRouter, deliveries: deliveriesRouter, events: eventsRouter, files: filesRouter, webhooks: webhooksRouter })

/** The type of all procedures: the only thing that the browser's code takes from the server. */
export type Api = typeof api
