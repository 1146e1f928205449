import { testCatalogue } from './catalogue-tests.ts'

testCatalogue('chat-completions')
