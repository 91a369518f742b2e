import RxComposableArchitecture
import Testing

/// Streams with a limited number of values, and subjects that keep values.
@MainActor @Suite struct TraitTests {
  private struct Failure: Error, Equatable {}
  private final class Log { var lines: [String] = [] }
  private let log = Log()
  private let bag = DisposeBag()

  private func note(_ line: String) { log.lines.append(line) }

  private func watch(_ maybe: Maybe<Int>) {
    maybe.subscribe(
      onSuccess: { note("success \($0)") }, onError: { note("error \($0)") }, onCompleted: { note("completed") },
      onDisposed: { note("disposed") }
    ).disposed(by: bag)
  }

  @Test func aMaybeHasOneEvent() {
    watch(.just(1))
    watch(.empty())
    watch(.error(Failure()))
    watch(
      .create { maybe in
        maybe(.success(2))
        maybe(.success(3))
        maybe(.completed)
        return Disposables.create()
      })
    watch(Maybe.just(4).filter { $0 > 4 })
    watch(Maybe.just(5).flatMap { .just($0 + 1) }.map { $0 * 10 })
    #expect(
      log.lines.filter { $0 != "disposed" } == [
        "success 1", "completed", "error Failure()", "success 2", "completed", "success 60",
      ])
    #expect(log.lines.count == 12)
  }

  @Test func aSingleKeepsItsTrait() {
    func fetch(_ number: Int) -> Single<String> {
      Single.just(number).map { "\($0)" }.flatMap { text in
        text == "0" ? .error(Failure()) : .just(text)
      }
      .observe(on: ImmediateScheduler())
    }
    fetch(1).subscribe(onSuccess: { note($0) }).disposed(by: bag)
    fetch(0).catchAndReturn("none").subscribe(onSuccess: { note($0) }).disposed(by: bag)
    fetch(0).subscribe {
      switch $0 {
      case .success(let text): note(text)
      case .failure(let error): note("\(error)")
      }
    }.disposed(by: bag)
    Single.zip(fetch(2), fetch(3)) { $0 + $1 }.subscribe(onSuccess: { note($0) }).disposed(by: bag)
    fetch(4).do(onSuccess: { note("do \($0)") }).asCompletable().subscribe(onCompleted: { note("end") })
      .disposed(by: bag)
    #expect(log.lines == ["1", "none", "Failure()", "23", "do 4", "end"])
  }

  @Test func aSingleIsTheOnlyValue() {
    func result(_ stream: Observable<Int>) -> String {
      var text = "nothing"
      stream.asSingle().subscribe(onSuccess: { text = "\($0)" }, onFailure: { text = "\($0)" }).disposed(by: bag)
      return text
    }
    #expect(result(.just(1)) == "1")
    #expect(result(.empty()) == "noElements")
    #expect(result(.of(1, 2)) == "moreThanOneElement")
    let subject = PublishSubject<Int>()
    subject.asSingle().subscribe(onSuccess: { note("\($0)") }).disposed(by: bag)
    subject.onNext(3)
    #expect(log.lines.isEmpty)
    subject.onCompleted()
    #expect(log.lines == ["3"])
  }

  @Test func aCompletablePrecedesAnotherStream() {
    func save(_ name: String, _ error: Failure? = nil) -> Completable {
      .create { completable in
        note(name)
        completable(error.map { .error($0) } ?? .completed)
        return Disposables.create()
      }
    }
    save("a").andThen(Observable.of(1, 2)).subscribe(onNext: { note("\($0)") }).disposed(by: bag)
    save("b").andThen(save("c")).andThen(Single.just("d")).subscribe(onSuccess: { note($0) }).disposed(by: bag)
    save("e", Failure()).andThen(save("f")).subscribe(onCompleted: { note("end") }, onError: { note("\($0)") })
      .disposed(by: bag)
    Completable.zip(save("g"), save("h")).subscribe { (_: CompletableEvent) in note("both") }.disposed(by: bag)
    #expect(log.lines == ["a", "1", "2", "b", "c", "d", "e", "Failure()", "g", "h", "both"])
  }

  @Test func aReplaySubjectKeepsItsLastValues() {
    let (two, all) = (ReplaySubject<Int>.create(bufferSize: 2), ReplaySubject<Int>.createUnbounded())
    for number in 1...5 {
      two.onNext(number)
      all.onNext(number)
    }
    two.subscribe(onNext: { note("two \($0)") }).disposed(by: bag)
    all.map { "all \($0)" }.subscribe(onNext: { note($0) }).disposed(by: bag)
    two.onNext(6)
    two.onCompleted()
    #expect(log.lines == ["two 4", "two 5"] + (1...5).map { "all \($0)" } + ["two 6"])
    two.subscribe(onNext: { note("late \($0)") }, onCompleted: { note("end") }).disposed(by: bag)
    #expect(log.lines.suffix(3) == ["late 5", "late 6", "end"])
  }

  @Test func groupsOfValues() {
    Observable.of(1, 2, 3, 4).groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key): \($0)" } }
      .subscribe(onNext: { note($0) }).disposed(by: bag)
    #expect(log.lines == ["1: 1", "0: 2", "1: 3", "0: 4"])
  }

  @Test func observersTakeEvents() {
    let (source, sink) = (PublishSubject<Int>(), BehaviorSubject<Int>(value: 0))
    sink.subscribe(onNext: { note("\($0)") }, onCompleted: { note("end") }).disposed(by: bag)
    source.subscribe(sink).disposed(by: bag)
    source.bind(to: AnyObserver { (event: Event<Int>) in note("\(event)") }).disposed(by: bag)
    source.onNext(1)
    source.asObserver().onCompleted()
    #expect(log.lines == ["0", "1", "next(1)", "end", "completed"])
  }

  @Test func compositeDisposables() {
    let composite = CompositeDisposable()
    composite.insert(Disposables.create { note("first") })
    Disposables.create(composite, Disposables.create { note("second") }).dispose()
    composite.insert(Disposables.create { note("late") })
    #expect(log.lines == ["first", "second", "late"])
  }

  @Test func relaysForViews() async {
    let relay = PublishRelay<Int>()
    await confirmation { received in
      let task = AsyncStream<Int>.makeStream()
      relay.asSignal().emit(onNext: { task.continuation.yield($0) }).disposed(by: bag)
      relay.accept(7)
      for await number in task.stream {
        #expect(number == 7)
        received()
        break
      }
    }
  }
}
