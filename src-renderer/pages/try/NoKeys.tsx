import { Link } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { EmptyState } from '#renderer/components/states.tsx'

export function NoKeys() {
  const { t } = useTranslation('try')
  return (
    <Card>
      <EmptyState
        icon={KeyRound}
        title={t('noKeys')}
        action={
          <Button asChild look="primary">
            <Link to="/keys">{t('toKeys')}</Link>
          </Button>
        }
      >
        {t('noKeysWhy')}
      </EmptyState>
    </Card>
  )
}
