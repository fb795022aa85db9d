/** Fields of the API in order, by type. Repeated here, so that a change to the code breaks a test. */

export const roles =
  'owner projectManager postInstallEngineer postInstallProjectManager ixCoordinator permitCoordinator'.split(
    ' ',
  )

const textsBefore =
  'dealname firstName lastName coordinates state streetAddress city zipCode primaryPhone nameOnUb utilityName stage stageId pipelineId pipeline'.split(
    ' ',
  )
const textsAfter = (
  'adders systemSize roofType designToolAProjectId designToolBProjectId designToolCProjectId proposalLink battery inverterType moduleType ' +
  'numberOfBatteries numberOfInverters numberOfModules closerName setterName dealer lender loanAmount hoaName hoaEmail hoaNumber notes inspectionNotes ' +
  'reInspectionResults inspectionResults hicAgreement'
).split(' ')

export const texts = [...textsBefore, 'adderPpw', ...textsAfter]
export const doubles = ['amount', 'totalPpw', 'basePpw', 'adderCost']

export const flags = (
  'hasBattery hasChangesToAdders hasHoa inspectionRequired installCompleted m2Approved hasOutstandingItems permitRequired plansetMatchesAsBuilt ' +
  'scopeOfWorkPacket'
).split(' ')

export const times = (
  'lastModified createDate timeInCurrentStage cadCompleted cadRequested engineeringCompleted engineeringRequested expectedPermitDeliveryDate ' +
  'fundingSubmitted hoaApprovedDate inspectionRequested installComplete installedScheduled notesLastUpdated notesNextActivityDate ntpApproved ntpRequested ' +
  'permitReceived permitSubmitted reInspectionRequested reInstallScheduled reSignDate siteSurveyCompleted siteSurveyRequested redesignCompleteDate'
).split(' ')

export const dealKeys = [
  'id',
  ...roles,
  ...textsBefore,
  'amount',
  'totalPpw',
  'basePpw',
  'adderPpw',
  'adderCost',
  ...textsAfter,
  ...flags,
  ...times,
]

export const personKeys = [
  'id',
  'userId',
  'email',
  'firstName',
  'lastName',
  'teams',
  'crmTeamId',
  'createdAt',
  'updatedAt',
]
