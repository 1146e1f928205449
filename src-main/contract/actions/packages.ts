// Packages.

import { actionsOf, forAdministrators, forHolders } from '#contract/actions/action.ts'

export const PACKAGES = actionsOf('Packages', {
  listPackages: forHolders('GET /api/packages', 'Lists the packages.', { response: 'PackageView[]' }),
  addPackage: forAdministrators('POST /api/packages', 'Adds a package, from which keys get credits and limits.', {
    body: 'PackageCreate',
    response: 'PackageView',
    example: { name: 'team', type: 'monthly', credits: 50, limits: { requests_per_minute: 60 } },
  }),
  editPackage: forAdministrators('PATCH /api/packages/{id}', 'Changes a package; limits are replaced as a whole.', {
    body: 'PackageEdit',
    response: 'PackageView',
    example: { credits: 80 },
  }),
  removePackage: forAdministrators('DELETE /api/packages/{id}', 'Removes a package that has no keys.'),
})
