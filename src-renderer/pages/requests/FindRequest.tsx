import { useId, useState, type SyntheticEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { FilterProblem } from '#renderer/components/filters.tsx'
import { Input } from '#renderer/components/input.tsx'
import { idIn } from '#renderer/data/request-id.ts'

/** Opens what is known of a request by the id that an answer or an error came with. */
export function FindRequest({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const { t } = useTranslation('requests')
  const problemId = useId()
  const [typed, setTyped] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const find = (event: SyntheticEvent) => {
    event.preventDefault()
    const id = idIn(typed)
    setIsWrong(id === undefined)
    if (id === undefined) return
    setTyped('')
    onOpen(id)
  }
  return (
    <form role="search" onSubmit={find} className="relative w-56">
      <Input
        aria-label={t('find.label')}
        placeholder={t('find.label')}
        value={typed}
        {...(isWrong ? { 'aria-invalid': true, 'aria-describedby': problemId } : {})}
        onChange={(event) => {
          setTyped(event.target.value)
          setIsWrong(false)
        }}
      />
      {isWrong && <FilterProblem id={problemId}>{t('find.wrong')}</FilterProblem>}
    </form>
  )
}
