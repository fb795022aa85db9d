import { accountsRouter } from './accounts/router.ts'
import { dealsRouter, eventsRouter } from './deals/router.ts'
import { filesRouter } from './files/router.ts'
import { insightRouter } from './insight/router.ts'
import { router } from './procedure.ts'
import { viewsRouter } from './views/router.ts'
import { deliveriesRouter, webhooksRouter } from './webhooks/router.ts'

export const api = router({ accounts: accountsRouter, deals: dealsRouter, deliveries: deliveriesRouter, events: eventsRouter, files: filesRouter, insight: insightRouter, views: viewsRouter, webhooks: webhooksRouter })

/** The type of all procedures: the only thing that the browser's code takes from the server. */
export type Api = typeof api
