/** Why a console socket was closed (docs/rest-api.md §6). */
export const closeCodes = {
  restart: 1012,
  tooSlow: 1013,
  unauthorized: 4401,
  forbidden: 4403,
  deleted: 4404,
  suspended: 4409,
  flooding: 4429,
} as const;
