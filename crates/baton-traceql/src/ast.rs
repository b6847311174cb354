//! The language as a tree. Printing it gives canonical text.

/// A whole query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// What is asked.
    pub root: Root,
    /// How it should be answered: `with (most_recent=true)`.
    pub hints: Vec<Hint>,
}

/// The two families of queries.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// Which spans: answered with spansets.
    Search(PipelineExpr),
    /// How many and how much over time: answered with series.
    Metrics(MetricsExpr),
}

/// `name=value` of a `with` clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// Such as `most_recent`.
    pub name: String,
    /// Its value.
    pub value: Literal,
}

/// A pipeline, or pipelines in parentheses that are combined.
#[derive(Clone, Debug, PartialEq)]
pub enum PipelineExpr {
    /// Stages from left to right; never empty.
    Pipeline(Vec<Stage>),
    /// `( .. ) OP ( .. )`.
    Combined {
        /// How.
        op: SpansetOp,
        /// The left operand.
        left: Box<PipelineExpr>,
        /// The right operand.
        right: Box<PipelineExpr>,
    },
}

/// One stage of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// Spans that match.
    Spansets(SpansetExpr),
    /// Spansets whose aggregate matches.
    Scalar(ScalarFilter),
    /// One spanset per value.
    By(FieldExpr),
    /// All spansets of a trace as one again.
    Coalesce,
    /// Attributes that the answer shows.
    Select(Vec<Field>),
}

/// Spans of one trace, and how they relate.
#[derive(Clone, Debug, PartialEq)]
pub enum SpansetExpr {
    /// `{ .. }`; empty braces match every span.
    Filter(Option<FieldExpr>),
    /// Two sets combined.
    Combined {
        /// How.
        op: SpansetOp,
        /// The left operand.
        left: Box<SpansetExpr>,
        /// The right operand.
        right: Box<SpansetExpr>,
    },
}

/// How two spansets of a trace are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpansetOp {
    /// `&&`: both are there; gives all spans of both.
    And,
    /// `||`: one is there; gives all spans of both.
    Or,
    /// `>`: right ones whose parent is a left one.
    Child,
    /// `<`: right ones that are the parent of a left one.
    Parent,
    /// `>>`: right ones below a left one.
    Descendant,
    /// `<<`: right ones above a left one.
    Ancestor,
    /// `~`: right ones that share their parent with a left one.
    Sibling,
    /// `!>`.
    NotChild,
    /// `!<`.
    NotParent,
    /// `!>>`.
    NotDescendant,
    /// `!<<`.
    NotAncestor,
    /// `!~`.
    NotSibling,
    /// `&>`: like `>`, and the left ones too.
    UnionChild,
    /// `&<`.
    UnionParent,
    /// `&>>`.
    UnionDescendant,
    /// `&<<`.
    UnionAncestor,
    /// `&~`.
    UnionSibling,
}

/// `count() > 2`, either way round.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarFilter {
    /// The left operand.
    pub left: Scalar,
    /// The comparison; never a regular expression.
    pub op: CompareOp,
    /// The right operand.
    pub right: Scalar,
}

/// One value per spanset.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A constant.
    Literal(Literal),
    /// Over the spans of the set.
    Aggregate(Aggregate),
    /// Computed from others; parsed, but refused by Tempo and by us when it is run.
    Computed {
        /// How.
        op: ArithmeticOp,
        /// The left operand.
        left: Box<Scalar>,
        /// The right operand.
        right: Box<Scalar>,
    },
    /// `( { .. } | count() )`; parsed, but refused by Tempo and by us when it is run.
    Pipeline {
        /// The stages before the aggregate.
        stages: Vec<Stage>,
        /// What they end in.
        aggregate: Aggregate,
    },
}

/// Over the spans of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// Which.
    pub op: AggregateOp,
    /// Of what; none for `count()`.
    pub of: Option<FieldExpr>,
}

/// Which aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateOp {
    /// How many spans.
    Count,
    /// The smallest.
    Min,
    /// The greatest.
    Max,
    /// The mean.
    Avg,
    /// All together.
    Sum,
}

/// An expression over one span.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldExpr {
    /// A constant.
    Literal(Literal),
    /// Something of the span.
    Field(Field),
    /// `-x` or `!x`.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Of what.
        of: Box<FieldExpr>,
    },
    /// Two expressions combined.
    Binary {
        /// How.
        op: BinaryOp,
        /// The left operand.
        left: Box<FieldExpr>,
        /// The right operand.
        right: Box<FieldExpr>,
    },
}

/// `-` or `!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`.
    Negative,
    /// `!`.
    Not,
}

/// How two expressions over a span are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// A comparison.
    Compare(CompareOp),
    /// A number from numbers.
    Arithmetic(ArithmeticOp),
}

/// `=`, `!=`, `<`, `<=`, `>`, `>=`, `=~`, `!~`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `=~`, anchored at both ends.
    Matches,
    /// `!~`, anchored at both ends.
    MatchesNot,
}

/// `+`, `-`, `*`, `/`, `%`, `^`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
    /// `^`.
    Power,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Text.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A time span, in nanoseconds.
    Duration(i64),
    /// True or false.
    Bool(bool),
    /// `nil`: not there.
    Nil,
    /// `ok`, `error`, `unset`.
    Status(baton_types::SpanStatus),
    /// `server`, `client`, ..
    Kind(baton_types::SpanKind),
}

/// Something of a span.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// What whoever emitted it set.
    Attribute(Attribute),
    /// What every span has.
    Intrinsic(Intrinsic),
}

/// What whoever emitted a span set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// Where it is.
    pub scope: Scope,
    /// Whether the parent span's is meant: `parent.x`.
    pub of_parent: bool,
    /// Its key, without the scope.
    pub name: String,
}

/// Where an attribute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// `.x`: wherever it is found first: span, resource, event, link, instrumentation.
    Any,
    /// `span.x`.
    Span,
    /// `resource.x`.
    Resource,
    /// `event.x`.
    Event,
    /// `link.x`.
    Link,
    /// `instrumentation.x`.
    Instrumentation,
}

/// What every span has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Intrinsic {
    /// `duration`, `span:duration`.
    Duration,
    /// `name`, `span:name`.
    Name,
    /// `kind`, `span:kind`.
    Kind,
    /// `status`, `span:status`.
    Status,
    /// `statusMessage`, `span:statusMessage`.
    StatusMessage,
    /// `span:id`.
    SpanId,
    /// `span:parentID`.
    ParentId,
    /// `span:childCount`; `childCount` in the old form.
    ChildCount,
    /// `parent`; parsed, but not supported.
    Parent,
    /// `traceDuration`, `trace:duration`.
    TraceDuration,
    /// `rootName`, `trace:rootName`.
    RootName,
    /// `rootServiceName`, `trace:rootService`.
    RootService,
    /// `trace:id`.
    TraceId,
    /// `nestedSetLeft`.
    NestedSetLeft,
    /// `nestedSetRight`.
    NestedSetRight,
    /// `nestedSetParent`.
    NestedSetParent,
    /// `event:name`.
    EventName,
    /// `event:timeSinceStart`.
    EventTimeSinceStart,
    /// `link:traceID`.
    LinkTraceId,
    /// `link:spanID`.
    LinkSpanId,
    /// `instrumentation:name`.
    InstrumentationName,
    /// `instrumentation:version`.
    InstrumentationVersion,
}

/// Series, or arithmetic over series.
#[derive(Clone, Debug, PartialEq)]
pub enum MetricsExpr {
    /// A pipeline that ends in a metrics function.
    Query(MetricsQuery),
    /// A constant.
    Number(f64),
    /// Two series combined.
    Computed {
        /// How: `+`, `-`, `*` or `/`.
        op: ArithmeticOp,
        /// The left operand.
        left: Box<MetricsExpr>,
        /// The right operand.
        right: Box<MetricsExpr>,
        /// Stages after the parenthesis.
        then: Vec<SecondStage>,
    },
}

/// A pipeline that ends in a metrics function.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricsQuery {
    /// Which spans.
    pub spans: PipelineExpr,
    /// What is made of them.
    pub first: FirstStage,
    /// Series that are kept.
    pub then: Vec<SecondStage>,
}

/// A metrics function.
#[derive(Clone, Debug, PartialEq)]
pub enum FirstStage {
    /// `rate()`.
    Rate {
        /// One series per value.
        by: Vec<Field>,
    },
    /// `count_over_time()`.
    CountOverTime {
        /// One series per value.
        by: Vec<Field>,
    },
    /// `min_over_time(x)`, `max_over_time(x)`, `avg_over_time(x)`, `sum_over_time(x)`.
    AggregateOverTime {
        /// Which; never a count.
        op: AggregateOp,
        /// Of what.
        of: Field,
        /// One series per value.
        by: Vec<Field>,
    },
    /// `quantile_over_time(x, 0.5, 0.9)`.
    QuantileOverTime {
        /// Of what.
        of: Field,
        /// Which, each between 0 and 1.
        quantiles: Vec<f64>,
        /// One series per value.
        by: Vec<Field>,
    },
    /// `histogram_over_time(x)`.
    HistogramOverTime {
        /// Of what.
        of: Field,
        /// One series per value.
        by: Vec<Field>,
    },
    /// `compare({ .. }, 10)`.
    Compare(Compare),
}

/// `compare({ .. }, 10, 1000, 2000)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// What is compared with the rest.
    pub selection: SpansetExpr,
    /// Most values of an attribute.
    pub top: Option<i64>,
    /// When the selection begins, in nanoseconds.
    pub start: Option<i64>,
    /// When it ends.
    pub end: Option<i64>,
}

/// What is done with series.
#[derive(Clone, Debug, PartialEq)]
pub enum SecondStage {
    /// `topk(5)`.
    TopK(i64),
    /// `bottomk(5)`.
    BottomK(i64),
    /// `> 10`.
    Filter {
        /// The comparison; never a regular expression.
        op: CompareOp,
        /// A number or a duration.
        value: Literal,
    },
}

/// One field compared with one constant: what an index can answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub field: Field,
    /// How.
    pub op: CompareOp,
    /// With what.
    pub value: Literal,
}
