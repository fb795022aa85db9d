import { router } from '../access/procedure.ts'
import { adminProcedures } from './endpoints/router.ts'
import { webhookOperations } from './operations.ts'

export const webhooksRouter = router({ ...webhookOperations, ...adminProcedures })
