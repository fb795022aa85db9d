import { accountsRouter } from './accounts/router.ts'
import { teamRouter } from './accounts/team-router.ts'
import { auditRouter } from './audit/router.ts'
import { dealsRouter, eventsRouter } from './deals/router.ts'
import { filesRouter } from './files/router.ts'
import { healthRouter } from './health/router.ts'
import { importsRouter } from './imports/router.ts'
import { insightRouter } from './insight/router.ts'
import { partnersRouter } from './partners/router.ts'
import { router } from './procedure.ts'
import { tokensRouter } from './tokens/router.ts'
import { viewsRouter } from './views/router.ts'
import { deliveriesRouter } from './webhooks/delivery-router.ts'
import { webhooksRouter } from './webhooks/router.ts'

export const api = router({ accounts: accountsRouter, audit: auditRouter, deals: dealsRouter, deliveries: deliveriesRouter, events: eventsRouter, files: filesRouter, health: healthRouter, imports: importsRouter, insight: insightRouter, partners: partnersRouter, team: teamRouter, tokens: tokensRouter, views: viewsRouter, webhooks: webhooksRouter })

/** The type of all procedures: the only thing that the browser's code takes from the server. */
export type Api = typeof api
