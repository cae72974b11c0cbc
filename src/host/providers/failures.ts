export { statusFailure, streamFailure, type ErrorAnswer } from './failures/answers';
export { failureOf, problemFailure, type ServerFacts } from './failures/sentences';
