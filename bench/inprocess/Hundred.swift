import ComposableCore

/// A hundred children in one body, as no feature should have them.
@Reducer
struct Hundred {
  struct State: Sendable {
    var c00 = Counter.State(), c01 = Counter.State(), c02 = Counter.State(), c03 = Counter.State(),
      c04 = Counter.State(),
      c05 = Counter.State(), c06 = Counter.State(), c07 = Counter.State(), c08 = Counter.State(), c09 = Counter.State()
    var c10 = Counter.State(), c11 = Counter.State(), c12 = Counter.State(), c13 = Counter.State(),
      c14 = Counter.State(),
      c15 = Counter.State(), c16 = Counter.State(), c17 = Counter.State(), c18 = Counter.State(), c19 = Counter.State()
    var c20 = Counter.State(), c21 = Counter.State(), c22 = Counter.State(), c23 = Counter.State(),
      c24 = Counter.State(),
      c25 = Counter.State(), c26 = Counter.State(), c27 = Counter.State(), c28 = Counter.State(), c29 = Counter.State()
    var c30 = Counter.State(), c31 = Counter.State(), c32 = Counter.State(), c33 = Counter.State(),
      c34 = Counter.State(),
      c35 = Counter.State(), c36 = Counter.State(), c37 = Counter.State(), c38 = Counter.State(), c39 = Counter.State()
    var c40 = Counter.State(), c41 = Counter.State(), c42 = Counter.State(), c43 = Counter.State(),
      c44 = Counter.State(),
      c45 = Counter.State(), c46 = Counter.State(), c47 = Counter.State(), c48 = Counter.State(), c49 = Counter.State()
    var c50 = Counter.State(), c51 = Counter.State(), c52 = Counter.State(), c53 = Counter.State(),
      c54 = Counter.State(),
      c55 = Counter.State(), c56 = Counter.State(), c57 = Counter.State(), c58 = Counter.State(), c59 = Counter.State()
    var c60 = Counter.State(), c61 = Counter.State(), c62 = Counter.State(), c63 = Counter.State(),
      c64 = Counter.State(),
      c65 = Counter.State(), c66 = Counter.State(), c67 = Counter.State(), c68 = Counter.State(), c69 = Counter.State()
    var c70 = Counter.State(), c71 = Counter.State(), c72 = Counter.State(), c73 = Counter.State(),
      c74 = Counter.State(),
      c75 = Counter.State(), c76 = Counter.State(), c77 = Counter.State(), c78 = Counter.State(), c79 = Counter.State()
    var c80 = Counter.State(), c81 = Counter.State(), c82 = Counter.State(), c83 = Counter.State(),
      c84 = Counter.State(),
      c85 = Counter.State(), c86 = Counter.State(), c87 = Counter.State(), c88 = Counter.State(), c89 = Counter.State()
    var c90 = Counter.State(), c91 = Counter.State(), c92 = Counter.State(), c93 = Counter.State(),
      c94 = Counter.State(),
      c95 = Counter.State(), c96 = Counter.State(), c97 = Counter.State(), c98 = Counter.State(), c99 = Counter.State()
  }

  enum Action: Sendable {
    case c00(Counter.Action), c01(Counter.Action), c02(Counter.Action), c03(Counter.Action), c04(Counter.Action),
      c05(Counter.Action), c06(Counter.Action), c07(Counter.Action), c08(Counter.Action), c09(Counter.Action)
    case c10(Counter.Action), c11(Counter.Action), c12(Counter.Action), c13(Counter.Action), c14(Counter.Action),
      c15(Counter.Action), c16(Counter.Action), c17(Counter.Action), c18(Counter.Action), c19(Counter.Action)
    case c20(Counter.Action), c21(Counter.Action), c22(Counter.Action), c23(Counter.Action), c24(Counter.Action),
      c25(Counter.Action), c26(Counter.Action), c27(Counter.Action), c28(Counter.Action), c29(Counter.Action)
    case c30(Counter.Action), c31(Counter.Action), c32(Counter.Action), c33(Counter.Action), c34(Counter.Action),
      c35(Counter.Action), c36(Counter.Action), c37(Counter.Action), c38(Counter.Action), c39(Counter.Action)
    case c40(Counter.Action), c41(Counter.Action), c42(Counter.Action), c43(Counter.Action), c44(Counter.Action),
      c45(Counter.Action), c46(Counter.Action), c47(Counter.Action), c48(Counter.Action), c49(Counter.Action)
    case c50(Counter.Action), c51(Counter.Action), c52(Counter.Action), c53(Counter.Action), c54(Counter.Action),
      c55(Counter.Action), c56(Counter.Action), c57(Counter.Action), c58(Counter.Action), c59(Counter.Action)
    case c60(Counter.Action), c61(Counter.Action), c62(Counter.Action), c63(Counter.Action), c64(Counter.Action),
      c65(Counter.Action), c66(Counter.Action), c67(Counter.Action), c68(Counter.Action), c69(Counter.Action)
    case c70(Counter.Action), c71(Counter.Action), c72(Counter.Action), c73(Counter.Action), c74(Counter.Action),
      c75(Counter.Action), c76(Counter.Action), c77(Counter.Action), c78(Counter.Action), c79(Counter.Action)
    case c80(Counter.Action), c81(Counter.Action), c82(Counter.Action), c83(Counter.Action), c84(Counter.Action),
      c85(Counter.Action), c86(Counter.Action), c87(Counter.Action), c88(Counter.Action), c89(Counter.Action)
    case c90(Counter.Action), c91(Counter.Action), c92(Counter.Action), c93(Counter.Action), c94(Counter.Action),
      c95(Counter.Action), c96(Counter.Action), c97(Counter.Action), c98(Counter.Action), c99(Counter.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.c00, action: \.c00) { Counter() }
    Scope(state: \.c01, action: \.c01) { Counter() }
    Scope(state: \.c02, action: \.c02) { Counter() }
    Scope(state: \.c03, action: \.c03) { Counter() }
    Scope(state: \.c04, action: \.c04) { Counter() }
    Scope(state: \.c05, action: \.c05) { Counter() }
    Scope(state: \.c06, action: \.c06) { Counter() }
    Scope(state: \.c07, action: \.c07) { Counter() }
    Scope(state: \.c08, action: \.c08) { Counter() }
    Scope(state: \.c09, action: \.c09) { Counter() }
    Scope(state: \.c10, action: \.c10) { Counter() }
    Scope(state: \.c11, action: \.c11) { Counter() }
    Scope(state: \.c12, action: \.c12) { Counter() }
    Scope(state: \.c13, action: \.c13) { Counter() }
    Scope(state: \.c14, action: \.c14) { Counter() }
    Scope(state: \.c15, action: \.c15) { Counter() }
    Scope(state: \.c16, action: \.c16) { Counter() }
    Scope(state: \.c17, action: \.c17) { Counter() }
    Scope(state: \.c18, action: \.c18) { Counter() }
    Scope(state: \.c19, action: \.c19) { Counter() }
    Scope(state: \.c20, action: \.c20) { Counter() }
    Scope(state: \.c21, action: \.c21) { Counter() }
    Scope(state: \.c22, action: \.c22) { Counter() }
    Scope(state: \.c23, action: \.c23) { Counter() }
    Scope(state: \.c24, action: \.c24) { Counter() }
    Scope(state: \.c25, action: \.c25) { Counter() }
    Scope(state: \.c26, action: \.c26) { Counter() }
    Scope(state: \.c27, action: \.c27) { Counter() }
    Scope(state: \.c28, action: \.c28) { Counter() }
    Scope(state: \.c29, action: \.c29) { Counter() }
    Scope(state: \.c30, action: \.c30) { Counter() }
    Scope(state: \.c31, action: \.c31) { Counter() }
    Scope(state: \.c32, action: \.c32) { Counter() }
    Scope(state: \.c33, action: \.c33) { Counter() }
    Scope(state: \.c34, action: \.c34) { Counter() }
    Scope(state: \.c35, action: \.c35) { Counter() }
    Scope(state: \.c36, action: \.c36) { Counter() }
    Scope(state: \.c37, action: \.c37) { Counter() }
    Scope(state: \.c38, action: \.c38) { Counter() }
    Scope(state: \.c39, action: \.c39) { Counter() }
    Scope(state: \.c40, action: \.c40) { Counter() }
    Scope(state: \.c41, action: \.c41) { Counter() }
    Scope(state: \.c42, action: \.c42) { Counter() }
    Scope(state: \.c43, action: \.c43) { Counter() }
    Scope(state: \.c44, action: \.c44) { Counter() }
    Scope(state: \.c45, action: \.c45) { Counter() }
    Scope(state: \.c46, action: \.c46) { Counter() }
    Scope(state: \.c47, action: \.c47) { Counter() }
    Scope(state: \.c48, action: \.c48) { Counter() }
    Scope(state: \.c49, action: \.c49) { Counter() }
    Scope(state: \.c50, action: \.c50) { Counter() }
    Scope(state: \.c51, action: \.c51) { Counter() }
    Scope(state: \.c52, action: \.c52) { Counter() }
    Scope(state: \.c53, action: \.c53) { Counter() }
    Scope(state: \.c54, action: \.c54) { Counter() }
    Scope(state: \.c55, action: \.c55) { Counter() }
    Scope(state: \.c56, action: \.c56) { Counter() }
    Scope(state: \.c57, action: \.c57) { Counter() }
    Scope(state: \.c58, action: \.c58) { Counter() }
    Scope(state: \.c59, action: \.c59) { Counter() }
    Scope(state: \.c60, action: \.c60) { Counter() }
    Scope(state: \.c61, action: \.c61) { Counter() }
    Scope(state: \.c62, action: \.c62) { Counter() }
    Scope(state: \.c63, action: \.c63) { Counter() }
    Scope(state: \.c64, action: \.c64) { Counter() }
    Scope(state: \.c65, action: \.c65) { Counter() }
    Scope(state: \.c66, action: \.c66) { Counter() }
    Scope(state: \.c67, action: \.c67) { Counter() }
    Scope(state: \.c68, action: \.c68) { Counter() }
    Scope(state: \.c69, action: \.c69) { Counter() }
    Scope(state: \.c70, action: \.c70) { Counter() }
    Scope(state: \.c71, action: \.c71) { Counter() }
    Scope(state: \.c72, action: \.c72) { Counter() }
    Scope(state: \.c73, action: \.c73) { Counter() }
    Scope(state: \.c74, action: \.c74) { Counter() }
    Scope(state: \.c75, action: \.c75) { Counter() }
    Scope(state: \.c76, action: \.c76) { Counter() }
    Scope(state: \.c77, action: \.c77) { Counter() }
    Scope(state: \.c78, action: \.c78) { Counter() }
    Scope(state: \.c79, action: \.c79) { Counter() }
    Scope(state: \.c80, action: \.c80) { Counter() }
    Scope(state: \.c81, action: \.c81) { Counter() }
    Scope(state: \.c82, action: \.c82) { Counter() }
    Scope(state: \.c83, action: \.c83) { Counter() }
    Scope(state: \.c84, action: \.c84) { Counter() }
    Scope(state: \.c85, action: \.c85) { Counter() }
    Scope(state: \.c86, action: \.c86) { Counter() }
    Scope(state: \.c87, action: \.c87) { Counter() }
    Scope(state: \.c88, action: \.c88) { Counter() }
    Scope(state: \.c89, action: \.c89) { Counter() }
    Scope(state: \.c90, action: \.c90) { Counter() }
    Scope(state: \.c91, action: \.c91) { Counter() }
    Scope(state: \.c92, action: \.c92) { Counter() }
    Scope(state: \.c93, action: \.c93) { Counter() }
    Scope(state: \.c94, action: \.c94) { Counter() }
    Scope(state: \.c95, action: \.c95) { Counter() }
    Scope(state: \.c96, action: \.c96) { Counter() }
    Scope(state: \.c97, action: \.c97) { Counter() }
    Scope(state: \.c98, action: \.c98) { Counter() }
    Scope(state: \.c99, action: \.c99) { Counter() }
  }
}
