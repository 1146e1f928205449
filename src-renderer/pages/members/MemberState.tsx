import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'
import { Status } from '#renderer/components/badge.tsx'
import { packageNames } from '#renderer/data/member-form.ts'

/** Whether somebody can sign in: active, suspended, or still without a password. */
export function MemberState({ member }: { readonly member: MemberView }) {
  const { t } = useTranslation('members')
  if (member.status === 'suspended') return <Status tone="lost">{t('state.suspended')}</Status>
  if (!member.has_password) return <Status tone="waiting">{t('state.noPassword')}</Status>
  return <Status tone="live">{t('state.active')}</Status>
}

type OpenPackagesProps = { readonly member: MemberView; readonly packages: readonly PackageView[] | undefined }

export function OpenPackages({ member, packages = [] }: OpenPackagesProps) {
  const { t } = useTranslation('members')
  if (member.packages === 'all') return t('packages.all')
  const names = packageNames(member, packages)
  return names.length === 0 ? <span className="text-muted">{t('packages.none')}</span> : names.join(', ')
}
